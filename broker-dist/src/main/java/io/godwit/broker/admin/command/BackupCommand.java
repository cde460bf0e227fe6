package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.Text;
import io.godwit.broker.admin.backup.Backup;
import io.godwit.broker.admin.backup.BackupManifest;
import io.godwit.broker.admin.backup.BackupTarget;
import io.godwit.broker.admin.backup.Backups;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin backup}. */
@Command(
        name = "backup",
        description = {
            "Copies a store, while it is in use, into a new directory or a tar file of this machine.",
            "Each range is copied at a moment of its own. With \"all\" it copies all stores at the same moment, each",
            "into a subdirectory of a new directory, so that they fit together when they are restored."
        })
public final class BackupCommand extends NodeCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "inbox, dist or retain; or all")
    private String store = "";

    @Parameters(
            index = "1",
            paramLabel = "TO",
            description = "a directory, new or empty; or a file whose name ends with .tar")
    private Path to = Path.of("");

    public BackupCommand(NodeInvocation admin) {
        super(admin);
    }

    /** A finished backup, for JSON. */
    private record Written(String store, String path, int ranges, long bytes) {}

    @Override
    void run(AdminClient client) throws AdminException {
        if (store.equals(Backups.ALL)) {
            runAll(client);
            return;
        }
        client.ranges(store); // fails for an unknown store before anything is created
        try (BackupTarget target = BackupTarget.at(to)) {
            BackupManifest manifest = new Backup(client, store, target).take();
            Written written =
                    new Written(store, to.toString(), manifest.ranges().size(), manifest.bytes());
            answer(
                    written,
                    () -> admin().progress(written.ranges() + " ranges of " + store + ", " + Text.bytes(written.bytes())
                            + ", are in " + to));
        } catch (FileAlreadyExistsException e) {
            throw new AdminException(Kind.REFUSED, e.getMessage() + ": a backup is written to a place of its own", e);
        } catch (IOException e) {
            throw new AdminException(Kind.FAILED, "the backup was not finished: " + reasonOf(e), e);
        }
    }

    /** Adds the problem to messages of the JDK that consist of a file name only. */
    public static String reasonOf(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof AccessDeniedException) {
            return message + ": permission denied";
        } else if (failure instanceof NoSuchFileException) {
            return message + ": no such file or directory";
        } else if (failure instanceof FileSystemException known && known.getReason() == null) {
            return message + ": " + failure.getClass().getSimpleName();
        }
        return message;
    }

    private void runAll(AdminClient client) throws AdminException {
        if (String.valueOf(to.getFileName()).endsWith(".tar")) {
            throw new AdminException(
                    Kind.REFUSED, to + ": all stores are copied into a directory, not into a tar file");
        }
        List<String> stores = client.nodes().stores();
        try {
            BackupTarget.at(to).close(); // checks that it is new or empty
            Map<String, BackupManifest> taken =
                    Backup.takeAll(client, stores, name -> BackupTarget.at(to.resolve(name)));
            List<Written> written = new ArrayList<>();
            taken.forEach((name, manifest) -> written.add(new Written(
                    name, to.resolve(name).toString(), manifest.ranges().size(), manifest.bytes())));
            answer(
                    written,
                    () -> written.forEach(each -> admin().progress(each.ranges() + " ranges of " + each.store() + ", "
                            + Text.bytes(each.bytes()) + ", are in " + each.path())));
        } catch (FileAlreadyExistsException e) {
            throw new AdminException(Kind.REFUSED, e.getMessage() + ": a backup is written to a place of its own", e);
        } catch (IOException e) {
            throw new AdminException(Kind.FAILED, "the backup was not finished: " + reasonOf(e), e);
        }
    }
}
