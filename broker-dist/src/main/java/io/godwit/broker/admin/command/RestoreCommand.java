package io.godwit.broker.admin.command;

import io.godwit.broker.admin.action.Text;
import io.godwit.broker.admin.backup.BackupFiles;
import io.godwit.broker.admin.backup.BackupManifest;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.kv.backup.Restore;
import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.disk.DamagedDataException;
import io.godwit.kv.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin restore}. */
@Command(
        name = "restore",
        description = {
            "Makes the data directory of a new cluster's first node out of backups, one for each store.",
            "It works offline: it writes that directory itself and asks no node, so --data and --rpc do not matter.",
            "No broker runs there; start one afterwards. Stores without a backup begin empty. Without --yes "
                    + "the backups",
            "are only checked."
        })
public final class RestoreCommand implements Callable<Integer> {
    /** The stores of a broker. */
    private static final List<String> STORES = List.of("dist", "inbox", "retain");

    private final NodeInvocation admin;

    @Parameters(
            arity = "1..*",
            paramLabel = "FROM",
            description = "backups: directories, or tar files; or the directory of \"backup all\"")
    private List<Path> from = List.of();

    @Option(
            names = "--into",
            paramLabel = "DIR",
            required = true,
            description = "the data directory to make; new, or empty")
    private Path into = Path.of("");

    @Option(names = "--yes", description = "do it")
    private boolean isMeant;

    public RestoreCommand(NodeInvocation admin) {
        this.admin = admin;
    }

    /** The result, for JSON. */
    private record Restored(boolean isDryRun, String into, String cluster, List<String> stores, int ranges) {}

    /** A backup and its directory. */
    private record Found(BackupManifest manifest, Path directory) {}

    @Override
    public Integer call() throws AdminException {
        List<Path> unpacked = new ArrayList<>(); // directories that this command unpacked, and deletes
        try {
            List<Found> backups = new ArrayList<>();
            for (Path path : expanded()) {
                backups.add(open(path, unpacked));
            }
            check(backups);
            restore(backups);
            return 0;
        } catch (DamagedDataException e) {
            throw new AdminException(Kind.DAMAGED, String.valueOf(e.getMessage()), e);
        } catch (FileAlreadyExistsException e) {
            throw new AdminException(Kind.REFUSED, e.getMessage() + ": restore into a new or empty directory", e);
        } catch (NoSuchFileException e) {
            throw new AdminException(Kind.UNKNOWN, e.getMessage() + ": no such file", e);
        } catch (IOException e) {
            throw new AdminException(Kind.FAILED, "not restored: " + e.getMessage(), e);
        } finally {
            unpacked.forEach(this::delete);
        }
    }

    /**
     * A directory without a manifest may hold a backup of each store. If one of these is unfinished, the whole is
     * refused: "backup all" finishes them one after the other, and they belong together.
     */
    private List<Path> expanded() throws IOException {
        List<Path> all = new ArrayList<>();
        for (Path path : from) {
            List<Path> stores = List.of();
            if (Files.isDirectory(path) && !Files.exists(path.resolve(BackupManifest.FILE))) {
                try (Stream<Path> entries = Files.list(path)) {
                    stores = entries.filter(Files::isDirectory).sorted().toList();
                }
            }
            all.addAll(stores.isEmpty() ? List.of(path) : stores);
        }
        return all;
    }

    private void delete(Path directory) {
        try {
            DurableFiles.deleteTree(directory);
        } catch (IOException e) {
            admin.progress("not deleted: " + directory + ", " + e.getMessage());
        }
    }

    private Found open(Path path, List<Path> unpacked) throws IOException {
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString());
        }
        Path directory = path;
        if (Files.isRegularFile(path)) {
            directory = newDirectory();
            unpacked.add(directory);
            BackupFiles.unpack(path, directory);
        }
        return new Found(BackupFiles.verify(directory), directory);
    }

    /** A directory of an unused name beside the target, whose disk must have the space anyway. */
    private Path newDirectory() throws IOException {
        Path target = into.toAbsolutePath().normalize();
        Path parent = Objects.requireNonNullElse(target.getParent(), target);
        DurableFiles.createDirectories(parent);
        return Files.createTempDirectory(parent, target.getFileName() + ".unpacked-");
    }

    /** Checks that the backups belong together: of one cluster, and one per store. */
    private static void check(List<Found> backups) throws AdminException {
        TreeSet<String> clusters = new TreeSet<>();
        TreeSet<String> stores = new TreeSet<>();
        for (Found backup : backups) {
            clusters.add(backup.manifest().cluster());
            if (!stores.add(backup.manifest().store())) {
                throw new AdminException(
                        Kind.REFUSED,
                        "two backups of the store " + backup.manifest().store());
            }
        }
        if (clusters.size() > 1) {
            throw new AdminException(Kind.REFUSED, "the backups are of different clusters: " + clusters);
        }
    }

    private void restore(List<Found> backups) throws IOException {
        List<Restore.Part> parts = new ArrayList<>();
        for (Found backup : backups) {
            BackupManifest manifest = backup.manifest();
            manifest.ranges().forEach(range -> parts.add(part(backup, range)));
            tell(manifest.store() + ": " + manifest.ranges().size() + " ranges, " + Text.bytes(manifest.bytes())
                    + ", taken " + manifest.taken() + " of cluster " + manifest.cluster());
        }
        if (backups.stream().map(backup -> backup.manifest().taken()).distinct().count() > 1) {
            tell("warning: the backups are of different moments; a QoS 2 message may come twice, a session may lack a"
                    + " subscription until it connects. \"backup all\" takes them at one moment");
        }
        List<String> without = new ArrayList<>(STORES);
        backups.forEach(backup -> without.remove(backup.manifest().store()));
        if (!without.isEmpty()) {
            tell("warning: no backup of " + String.join(", ", without) + ": begins empty");
        }
        String cluster = "";
        if (isMeant) {
            UUID made = Restore.into(into, parts);
            cluster = made.toString();
            tell("restored into " + into + ", as cluster " + cluster);
        } else {
            tell("the backups are whole; nothing was done yet: --yes restores them into " + into);
        }
        if (admin.isJson()) {
            List<String> stores =
                    backups.stream().map(backup -> backup.manifest().store()).toList();
            admin.printJson(new Restored(!isMeant, into.toString(), cluster, stores, parts.size()));
        }
    }

    private void tell(String line) {
        admin.progress(line);
    }

    private static Restore.Part part(Found backup, BackupManifest.Range range) {
        HexFormat hex = HexFormat.of();
        String end = range.end();
        return new Restore.Part(
                backup.manifest().store(),
                range.id(),
                new RangeBounds(hex.parseHex(range.start()), end == null ? null : hex.parseHex(end)),
                backup.directory().resolve(range.directory()));
    }
}
