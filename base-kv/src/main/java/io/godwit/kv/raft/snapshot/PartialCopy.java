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
 * What an unfinished copy of a snapshot has of each file for certain, also after a loss of power: it is noted down in
 * {@code FETCH} among the files, each line once the bytes it speaks of are fsynced. So a receiver that is killed goes
 * on where it was.
 *
 * <pre>
 * source=(store id)                            first line: files of the same name from elsewhere are others
 * snapshot=(index) (CRC-32C of the listing)    what the lines behind it were copied from
 * file=(bytes there) (bytes in all) (name)     the last one of a name holds
 * </pre>
 *
 * <p>The last line may be torn by a crash, and says nothing then. Confined to the thread of the copy.
 */
public final class PartialCopy implements AutoCloseable {
    private static final String FILE = "FETCH";
    private static final Pattern HELD = Pattern.compile("file=(\\d{1,18}) (\\d{1,18}) (.+)");

    private final Path directory;
    private final FileChannel out;
    private final Map<String, Held> files;

    /** Of a file that has {@code size} bytes the first {@code there}. */
    record Held(long there, long size) {
        boolean isWhole() {
            return there == size;
        }
    }

    /**
     * Where to go on.
     *
     * @param isSameSnapshot whether all of it is of the snapshot that is to be copied now
     */
    record Found(boolean isSameSnapshot, Map<String, Held> files) {
        static final Found NOTHING = new Found(false, Map.of());
    }

    /** Reads what is there of a copy from {@code source}; nothing when it is of another store, or none. */
    static Found find(Path directory, String source, String snapshot) throws IOException {
        Path notes = directory.resolve(FILE);
        if (!Files.exists(notes)) {
            return Found.NOTHING;
        }
        List<String> lines =
                new ArrayList<>(List.of(Files.readString(notes, UTF_8).split("\n", -1)));
        lines.remove(lines.size() - 1); // empty, or torn
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

    /** Whether a directory holds such notes. */
    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    /**
     * Goes on with {@code kept}, and with nothing else. What the caller does not keep it must have deleted.
     *
     * @param source store id
     * @param snapshot tells it apart from others of that store
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

    /** How many bytes of a file are there. */
    long there(String name) {
        Held held = files.get(name);
        return held == null ? 0 : held.there();
    }

    /** The first {@code held.there()} bytes of a file are fsynced. */
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

    /** The copy is whole. */
    void end() throws IOException {
        Files.delete(directory.resolve(FILE));
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
