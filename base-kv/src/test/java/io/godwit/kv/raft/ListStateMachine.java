package io.godwit.kv.raft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import io.godwit.kv.raft.snapshot.SnapshotSeal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Keeps the entries in a list. Its snapshot has them in one file, and padding in others, like a database. */
final class ListStateMachine extends StateMachineAdapter {
    private static final int BALLAST_FILES = 3;

    /** A fault during the writing of a snapshot. */
    interface BadLuck {
        void befall(Path directory) throws IOException;
    }

    private final int ballastBytes;
    /** Done before a snapshot is completed. */
    volatile BadLuck badLuck = directory -> {};

    /** Run before a snapshot is loaded. */
    volatile Runnable beforeLoad = () -> {};

    /** Told why a leadership has ended. */
    volatile Consumer<Status> leaderStop = status -> {};

    private final List<String> entries = new ArrayList<>();

    ListStateMachine(int ballastBytes) {
        this.ballastBytes = ballastBytes;
    }

    synchronized List<String> entries() {
        return List.copyOf(entries);
    }

    synchronized int count() {
        return entries.size();
    }

    @Override
    public synchronized void onApply(Iterator committed) {
        while (committed.hasNext()) {
            ByteBuffer data = committed.getData().duplicate();
            byte[] bytes = new byte[data.remaining()];
            data.get(bytes);
            entries.add(new String(bytes, StandardCharsets.UTF_8));
            if (committed.done() != null) {
                committed.done().run(Status.OK());
            }
            committed.next();
        }
    }

    @Override
    public void onLeaderStop(Status status) {
        leaderStop.accept(status);
    }

    @Override
    public synchronized void onSnapshotSave(SnapshotWriter writer, Closure done) {
        Path directory = Path.of(writer.getPath());
        try {
            Files.createDirectories(directory.resolve("db"));
            add(writer, directory, "db/entries", String.join("\n", entries).getBytes(StandardCharsets.UTF_8));
            for (int i = 0; i < BALLAST_FILES; i++) {
                add(writer, directory, "db/ballast-" + i + ".sst", ballast(i));
            }
            add(writer, directory, "db/empty", new byte[0]);
            badLuck.befall(directory);
            SnapshotSeal.complete(writer, writer.getCurrentMeta());
            done.run(Status.OK());
        } catch (IOException e) {
            done.run(new Status(RaftError.EINTERNAL, "%s", e)); // like a range
        }
    }

    private static void add(SnapshotWriter writer, Path directory, String name, byte[] content) throws IOException {
        Files.write(directory.resolve(name), content);
        writer.addFile(name);
    }

    private byte[] ballast(int file) {
        byte[] content = new byte[ballastBytes];
        Arrays.fill(content, (byte) ('a' + file));
        return content;
    }

    @Override
    public boolean onSnapshotLoad(SnapshotReader reader) {
        beforeLoad.run();
        return load(reader);
    }

    private synchronized boolean load(SnapshotReader reader) {
        try {
            for (int i = 0; i < BALLAST_FILES; i++) {
                if (!Arrays.equals(
                        Files.readAllBytes(Path.of(reader.getPath(), "db/ballast-" + i + ".sst")), ballast(i))) {
                    return false;
                }
            }
            String text = Files.readString(Path.of(reader.getPath(), "db/entries"));
            entries.clear();
            if (!text.isEmpty()) {
                entries.addAll(List.of(text.split("\n", -1)));
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
