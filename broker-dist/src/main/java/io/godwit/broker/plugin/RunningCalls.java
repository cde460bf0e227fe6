package io.godwit.broker.plugin;

import io.godwit.broker.plugin.context.CallMark;
import io.godwit.broker.plugin.instance.HostedPlugin;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Records which plugins are being called, in a file that outlives the process. An orderly end removes the file. If the
 * next start finds it, the process before was cut short ({@code Runtime.halt}, out of memory, a crash,
 * {@code kill -9}), and the file tells which plugins were being called. An end by {@code System.exit} is orderly, but
 * the file then stays, and names the plugin that called it ({@link #exits}).
 *
 * <p>The file is memory-mapped: writes need no system call, and survive the end of the process. It is written in full
 * before it is mapped, since an access to a page without space on a full disk would end the process.
 *
 * <pre>
 * integers in native byte order
 *   0  magic   4  version   8  number of records
 * 256  records of 256 bytes
 *        0  calls that run   4  1: it has ended the process by System.exit
 *        8  length of the kind   12  length of the name   16  kind and name, UTF-8, cut to 240 bytes
 * </pre>
 *
 * <p>For the thread that starts and ends the broker; callers use {@link CallMark}.
 */
final class RunningCalls implements AutoCloseable {
    /** No plugin can have this name, and so no plugin's directory. */
    static final String FILE = ".calls";

    private static final int MAGIC = 0x47504331;
    private static final int VERSION = 1;
    private static final int RECORD = 256;
    private static final int TEXT = 16;
    /** Further plugins are not noted. */
    private static final int MAX_PLUGINS = 127;

    private static final int BYTES = RECORD * (MAX_PLUGINS + 1);

    /**
     * A plugin that may have ended the process before.
     *
     * @param hasExited whether it called {@code System.exit}; otherwise it was being called when the process was cut
     * short
     */
    record Suspect(String kind, String name, boolean hasExited) {}

    private final Path file;
    private final Map<HostedPlugin, ByteBuffer> records;
    private boolean hasExited;

    private RunningCalls(Path file, Map<HostedPlugin, ByteBuffer> records) {
        this.file = file;
        this.records = records;
    }

    /** The suspects of the process before; empty without a readable file. Blocks. */
    static List<Suspect> before(Path file) throws IOException {
        byte[] bytes;
        try {
            if (Files.size(file) != BYTES) {
                return List.of();
            }
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        int count = in.getInt(8);
        if (in.getInt(0) != MAGIC || in.getInt(4) != VERSION || count < 0 || count > MAX_PLUGINS) {
            return List.of();
        }
        List<Suspect> suspects = new ArrayList<>();
        boolean isByExit = false;
        for (int i = 1; i <= count; i++) {
            int at = i * RECORD;
            boolean hasExited = in.getInt(at + 4) != 0;
            if (in.getInt(at) > 0 || hasExited) {
                int kind = in.getInt(at + 8);
                int name = in.getInt(at + 12);
                if (kind < 0 || name < 0 || kind > RECORD - TEXT || name > RECORD - TEXT - kind) {
                    return List.of();
                }
                suspects.add(new Suspect(
                        new String(bytes, at + TEXT, kind, StandardCharsets.UTF_8),
                        new String(bytes, at + TEXT + kind, name, StandardCharsets.UTF_8),
                        hasExited));
                isByExit |= hasExited;
            }
        }
        return isByExit ? suspects.stream().filter(Suspect::hasExited).toList() : List.copyOf(suspects);
    }

    /**
     * Creates the file, in place of an existing one. Blocks.
     *
     * @param plugins the plugins to note
     */
    static RunningCalls begin(Path file, List<HostedPlugin> plugins) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
        int count = Math.min(plugins.size(), MAX_PLUGINS);
        out.putInt(0, MAGIC).putInt(4, VERSION).putInt(8, count);
        for (int i = 0; i < count; i++) {
            byte[] kind = bytesOf(plugins.get(i).kind(), RECORD - TEXT);
            byte[] name = bytesOf(plugins.get(i).name(), RECORD - TEXT - kind.length);
            int at = (i + 1) * RECORD;
            out.putInt(at + 8, kind.length).putInt(at + 12, name.length);
            out.put(at + TEXT, kind).put(at + TEXT + kind.length, name);
        }
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        Map<HostedPlugin, ByteBuffer> records = new LinkedHashMap<>();
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            while (out.hasRemaining()) {
                channel.write(out);
            }
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
            for (int i = 0; i < count; i++) {
                ByteBuffer record = mapped.slice((i + 1) * RECORD, RECORD).order(ByteOrder.nativeOrder());
                plugins.get(i).threads().mark().attach(record);
                records.put(plugins.get(i), record);
            }
        }
        return new RunningCalls(file, records);
    }

    private static byte[] bytesOf(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length > most ? Arrays.copyOf(bytes, most) : bytes;
    }

    /** Whether calls of a plugin are running. */
    boolean runs(HostedPlugin plugin) {
        ByteBuffer record = records.get(plugin);
        return record != null && record.getInt(0) > 0;
    }

    /** Notes the plugin that has called {@code System.exit}. */
    synchronized void exits(HostedPlugin plugin) {
        ByteBuffer record = records.get(plugin);
        if (record != null) {
            record.putInt(4, 1);
            hasExited = true;
        }
    }

    /** Called at an orderly end. Blocks. */
    @Override
    public synchronized void close() throws IOException {
        if (!hasExited) {
            Files.deleteIfExists(file);
        }
    }
}
