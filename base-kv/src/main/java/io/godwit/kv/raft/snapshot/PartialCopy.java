package io.godwit.kv.raft.snapshot;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.kv.disk.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records what an unfinished copy of a snapshot has of each file, safe against a power loss: a line is added to the
 * file {@code FETCH} once the bytes that it covers are fsynced. So a receiver that is killed continues where it was.
 *
 * <pre>
 * source=(store id)                            first line: files of the same name from other stores differ
 * snapshot=(index) (CRC-32C of the listing)    the snapshot that the following files are from
 * file=(bytes there) (bytes in all) (name)     the last line of a name counts
 * </pre>
 *
 * <p>A crash may tear the last line, which is then ignored. Confined to the thread of the copy.
 */
public final class PartialCopy implements AutoCloseable {
    private static final String FILE = "FETCH";
    private static final Pattern HELD = Pattern.compile("file=(\\d{1,18}) (\\d{1,18}) (.+)");

    private final Path directory;
    private final FileChannel out;
    private final Map<String, Held> files;

    /** The first {@code there} bytes of a file of {@code size} bytes. */
    record Held(long there, long size) {
        boolean isWhole() {
            return there == size;
        }
    }

    /**
     * The state of an earlier copy.
     *
     * @param isSameSnapshot whether all of it is from the snapshot to be copied now
     */
    record Found(boolean isSameSnapshot, Map<String, Held> files) {
        static final Found NOTHING = new Found(false, Map.of());
    }

    /** Reads the state of an earlier copy from {@code source}; nothing if there is none or it is from another store. */
    static Found find(Path directory, String source, String snapshot) throws IOException {
        Path notes = directory.resolve(FILE);
        if (!Files.exists(notes)) {
            return Found.NOTHING;
        }
        List<String> lines =
                new ArrayList<>(List.of(Files.readString(notes, UTF_8).split("\n", -1)));
        lines.remove(lines.size() - 1); // empty or torn
        if (lines.isEmpty() || !lines.get(0).equals("source=" + source)) {
            return Found.NOTHING;
        }
        boolean isSame = false;
        Map<String, Held> files = new HashMap<>();
        for (String line : lines) {
            if (line.startsWith("snapshot=")) {
                isSame = line.equals("snapshot=" + snapshot);
            }
            Matcher file = HELD.matcher(line);
            if (file.matches()) {
                files.put(file.group(3), new Held(Long.parseLong(file.group(1)), Long.parseLong(file.group(2))));
            }
        }
        return new Found(isSame, files);
    }

    /** Whether {@code directory} has the record of an unfinished copy. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /**
     * Continues a copy with the files in {@code kept} only. The caller must have deleted all other files.
     *
     * @param source store id of the node that is copied from
     * @param snapshot identifies the snapshot on that store
     */
    PartialCopy(Path directory, String source, String snapshot, Map<String, Held> kept) throws IOException {
        this.directory = directory;
        this.files = new HashMap<>(kept);
        StringBuilder text = new StringBuilder("source=" + source + "\nsnapshot=" + snapshot + '\n');
        kept.forEach((name, held) -> text.append(line(name, held)));
        DurableFiles.replace(directory.resolve(FILE), text.toString().getBytes(UTF_8));
        this.out = FileChannel.open(directory.resolve(FILE), StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    private static String line(String name, Held held) {
        return "file=" + held.there() + ' ' + held.size() + ' ' + name + '\n';
    }

    /** Number of bytes that are there of a file. */
    long there(String name) {
        Held held = files.get(name);
        return held == null ? 0 : held.there();
    }

    /** Records that the first {@code held.there()} bytes of a file are fsynced. */
    void note(String name, Held held) throws IOException {
        if (held.equals(files.put(name, held))) {
            return;
        }
        ByteBuffer line = ByteBuffer.wrap(line(name, held).getBytes(UTF_8));
        while (line.hasRemaining()) {
            out.write(line);
        }
        out.force(true);
    }

    /** Deletes the record, because the copy is complete. */
    void end() throws IOException {
        Files.delete(directory.resolve(FILE));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
