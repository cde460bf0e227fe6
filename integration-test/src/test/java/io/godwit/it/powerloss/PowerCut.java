package io.godwit.it.powerloss;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Takes the files of a killed process back to what a power loss would have left, by the record that {@code powerloss.c}
 * kept of it. Used once, after the process has ended.
 */
public final class PowerCut {

    /** How much of what was not fsynced is lost. */
    public enum Loss {
        /** Every byte; names stay as they are. */
        UNSYNCED_BYTES,
        /** A random part of the bytes; what is left at the end of a WAL may be zeros or garbage. */
        TORN_BYTES,
        /** Every byte, and the latest names in each directory since it was fsynced, a random number of them. */
        UNSYNCED_NAMES
    }

    /** A file's content as far as it is on disk: {@code length} bytes, after the overwritten ones are put back. */
    private static final class Durable {
        long length;
        final List<Overwritten> overwritten = new ArrayList<>();

        Durable(long length) {
            this.length = length;
        }
    }

    private record Overwritten(long offset, ByteBuffer bytes) {}

    /** A change of names: {@code C M R L X} of the record. */
    private record NameChange(char kind, Path name, Path from, Path stash) {}

    private static final Path NONE = Path.of("-");

    private final Path root;
    private final Loss loss;
    private final Random random;
    private final Map<Long, Durable> files = new HashMap<>();
    private final List<NameChange> names = new ArrayList<>(); // not yet on disk, oldest first

    PowerCut(Path root, Loss loss, Random random) {
        this.root = root;
        this.loss = loss;
        this.random = random;
    }

    /** Takes the files back. Returns the number of bytes that were lost. */
    long apply(Path journal) throws IOException {
        try (Stream<String> lines = Files.lines(journal)) {
            lines.forEach(this::replay);
        }
        if (loss == Loss.UNSYNCED_NAMES) {
            takeBackNames();
        }
        long lost = 0;
        for (Path file : filesUnder(root)) {
            Durable durable = files.get(inode(file));
            if (durable != null) {
                lost += takeBackBytes(file, durable);
            }
        }
        return lost;
    }

    private void replay(String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "E" -> files.putIfAbsent(Long.valueOf(words[1]), new Durable(Long.parseLong(words[2])));
            case "C" -> {
                files.put(Long.valueOf(words[1]), new Durable(0));
                names.add(new NameChange('C', Path.of(words[2]), NONE, NONE));
            }
            case "S" -> {
                Durable durable = files.computeIfAbsent(Long.valueOf(words[1]), inode -> new Durable(0));
                durable.length = Long.parseLong(words[2]);
                durable.overwritten.clear();
            }
            case "U" ->
                files.computeIfAbsent(Long.valueOf(words[1]), inode -> new Durable(0))
                        .overwritten
                        .add(new Overwritten(
                                Long.parseLong(words[2]),
                                ByteBuffer.wrap(HexFormat.of().parseHex(words[3]))));
            case "D" -> {
                Path directory = Path.of(words[1]);
                names.removeIf(change -> directory.equals(change.name().getParent()));
            }
            case "M" -> names.add(new NameChange('M', Path.of(words[1]), NONE, NONE));
            case "L" -> names.add(new NameChange('L', Path.of(words[1]), NONE, NONE));
            case "R" -> names.add(new NameChange('R', Path.of(words[2]), Path.of(words[1]), Path.of(words[3])));
            case "X" -> names.add(new NameChange('X', Path.of(words[1]), NONE, Path.of(words[2])));
            default -> throw new IllegalStateException("cannot follow what the process did: " + line);
        }
    }

    /** A directory's changes reach the disk in their order, so in each the lost ones are the latest. */
    private void takeBackNames() throws IOException {
        Map<Path, Integer> pending = new HashMap<>();
        names.forEach(
                change -> pending.merge(Objects.requireNonNull(change.name().getParent()), 1, Integer::sum));
        pending.replaceAll((directory, count) -> random.nextInt(count + 1));
        for (int i = names.size() - 1; i >= 0; i--) {
            NameChange change = names.get(i);
            Path directory = Objects.requireNonNull(change.name().getParent());
            int left = Objects.requireNonNull(pending.get(directory));
            if (left > 0) {
                pending.put(directory, left - 1);
                takeBack(change);
            }
        }
    }

    private static void takeBack(NameChange change) throws IOException {
        Path name = change.name();
        switch (change.kind()) {
            case 'C', 'L' -> Files.deleteIfExists(name);
            case 'M' -> deleteAll(name);
            case 'R' -> {
                if (Files.exists(name) && Files.exists(change.from().getParent())) {
                    Files.move(name, change.from(), StandardCopyOption.REPLACE_EXISTING);
                }
                putBack(change);
            }
            case 'X' -> putBack(change);
            default -> throw new IllegalStateException("unknown change " + change);
        }
    }

    private static void putBack(NameChange change) throws IOException {
        if (!change.stash().equals(NONE)
                && !Files.exists(change.name())
                && Files.isDirectory(change.name().getParent())) {
            Files.createLink(change.name(), change.stash());
        }
    }

    private long takeBackBytes(Path file, Durable durable) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (int i = durable.overwritten.size() - 1; i >= 0; i--) {
                if (loss != Loss.TORN_BYTES || random.nextBoolean()) {
                    Overwritten old = durable.overwritten.get(i);
                    channel.write(old.bytes(), old.offset());
                }
            }
            long unsynced = Math.max(0, channel.size() - durable.length);
            long kept = loss == Loss.TORN_BYTES && unsynced > 0 ? (long) (random.nextDouble() * (unsynced + 1)) : 0;
            channel.truncate(durable.length + kept);
            if (kept > 0 && file.toString().endsWith(".log")) {
                garble(channel, durable.length, kept);
            }
            return unsynced - kept;
        }
    }

    /** Zeros or noise in place of some of the bytes that reached the disk: a file can grow before its content comes. */
    private void garble(FileChannel channel, long offset, long length) throws IOException {
        if (random.nextInt(3) == 0) {
            return;
        }
        long from = offset + (long) (random.nextDouble() * length);
        byte[] content = new byte[(int) Math.min(offset + length - from, 1 << 20)];
        if (random.nextBoolean()) {
            random.nextBytes(content);
        }
        channel.write(ByteBuffer.wrap(content), from);
    }

    private static List<Path> filesUnder(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static long inode(Path file) throws IOException {
        return (Long) Files.getAttribute(file, "unix:ino");
    }
}
