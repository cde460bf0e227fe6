package io.godwit.broker.admin.backup;

import io.godwit.kv.disk.ChecksummedText;
import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a store's backup. Written last, so an unfinished backup has none.
 *
 * <pre>
 * BACKUP, text with a checksum (ChecksummedText):
 *   godwit backup
 *   format=1
 *   cluster=(id)                       of the store
 *   store=inbox
 *   release=(of the node that sent the ranges)
 *   taken=(time at which it began)
 *   range=(id) epoch=(N) start=(hex) end=(hex, or - for none) directory=(name)
 *   file=(SHA-256) bytes=(N) name=(name)         of the range before it
 *
 * (directory)/(files of the range's database)
 * </pre>
 *
 * @param ranges by their first key; together they are the whole key space
 */
public record BackupManifest(String cluster, String store, String release, String taken, List<Range> ranges) {
    public static final String FILE = "BACKUP";

    /** The format that this release writes, and the newest that it reads. */
    static final int FORMAT = 1;

    private static final String TITLE = "godwit backup";
    private static final String NO_END = "-";

    /** @param end in hexadecimal; null means without end */
    public record Range(
            long id, long epoch, String start, @Nullable String end, String directory, List<File> files) {
        public Range {
            files = List.copyOf(files);
        }
    }

    record File(String name, long bytes, String sha256) {}

    public BackupManifest {
        ranges = ranges.stream().sorted(Comparator.comparing(Range::start)).toList();
    }

    public long bytes() {
        return ranges.stream()
                .flatMap(range -> range.files().stream())
                .mapToLong(File::bytes)
                .sum();
    }

    /** Why the ranges do not cover the key space exactly once; empty if they do. */
    static String gap(List<Range> ranges) {
        @Nullable String expected = "";
        for (Range range :
                ranges.stream().sorted(Comparator.comparing(Range::start)).toList()) {
            if (!range.start().equals(expected)) {
                return "range " + range.id() + " begins at \"" + range.start()
                        + "\", where the one before it ends at \""
                        + (expected == null ? "the end of the key space" : expected) + "\"";
            }
            expected = range.end();
        }
        return expected == null ? "" : "the last range ends at \"" + expected + "\"";
    }

    byte[] encode() {
        StringBuilder text = new StringBuilder(TITLE + "\n");
        text.append("format=").append(FORMAT).append('\n');
        text.append("cluster=").append(cluster).append('\n');
        text.append("store=").append(store).append('\n');
        text.append("release=").append(release).append('\n');
        text.append("taken=").append(taken).append('\n');
        for (Range range : ranges) {
            text.append("range=").append(range.id());
            text.append(" epoch=").append(range.epoch());
            text.append(" start=").append(range.start());
            text.append(" end=").append(range.end() == null ? NO_END : range.end());
            text.append(" directory=").append(range.directory()).append('\n');
            for (File file : range.files()) {
                text.append("file=").append(file.sha256());
                text.append(" bytes=").append(file.bytes());
                text.append(" name=").append(file.name()).append('\n');
            }
        }
        return ChecksummedText.seal(text.toString());
    }

    /**
     * Reads the manifest of a backup, but not the files that it names.
     *
     * @throws DamagedDataException if it is missing, damaged or of a newer format
     */
    static BackupManifest read(Path backup) throws IOException {
        Path path = backup.resolve(FILE);
        if (!Files.isRegularFile(path)) {
            throw new DamagedDataException(
                    path, "is missing: " + backup + " is no backup, or one that was not finished");
        }
        List<String> lines =
                ChecksummedText.open(path, Files.readAllBytes(path)).lines().toList();
        try {
            return decode(lines);
        } catch (IllegalArgumentException e) {
            throw new DamagedDataException(path, String.valueOf(e.getMessage()), e);
        }
    }

    private static BackupManifest decode(List<String> lines) {
        if (lines.size() < 6 || !lines.get(0).equals(TITLE)) {
            throw new IllegalArgumentException("is no manifest of a backup");
        }
        int format = Integer.parseInt(value(lines.get(1), "format"));
        if (format > FORMAT) {
            throw new IllegalArgumentException("has format " + format + ", this release reads up to " + FORMAT);
        }
        List<Range> ranges = new ArrayList<>();
        for (String line : lines.subList(6, lines.size())) {
            Map<String, String> words = words(line);
            if (words.containsKey("range")) {
                String end = word(words, "end");
                ranges.add(new Range(
                        Long.parseLong(word(words, "range")),
                        Long.parseLong(word(words, "epoch")),
                        word(words, "start"),
                        end.equals(NO_END) ? null : end,
                        name(word(words, "directory")),
                        List.of()));
            } else if (ranges.isEmpty()) {
                throw new IllegalArgumentException("has a file of no range");
            } else {
                Range range = ranges.remove(ranges.size() - 1);
                List<File> files = new ArrayList<>(range.files());
                files.add(
                        new File(name(word(words, "name")), Long.parseLong(word(words, "bytes")), word(words, "file")));
                ranges.add(new Range(range.id(), range.epoch(), range.start(), range.end(), range.directory(), files));
            }
        }
        String gap = gap(ranges);
        if (!gap.isEmpty()) {
            throw new IllegalArgumentException(gap);
        }
        return new BackupManifest(
                value(lines.get(2), "cluster"),
                value(lines.get(3), "store"),
                value(lines.get(4), "release"),
                value(lines.get(5), "taken"),
                ranges);
    }

    private static String value(String line, String key) {
        if (!line.startsWith(key + "=")) {
            throw new IllegalArgumentException("has \"" + line + "\" where " + key + "= was expected");
        }
        return line.substring(key.length() + 1);
    }

    private static Map<String, String> words(String line) {
        Map<String, String> words = new TreeMap<>();
        Arrays.stream(line.split(" ", -1)).forEach(word -> {
            int equals = word.indexOf('=');
            words.put(word.substring(0, Math.max(0, equals)), word.substring(equals + 1));
        });
        return words;
    }

    private static String word(Map<String, String> words, String key) {
        String value = words.get(key);
        if (value == null) {
            throw new IllegalArgumentException("has a line without " + key + "=: " + words);
        }
        return value;
    }

    /** Checks a file name, since a manifest must not lead out of its directory. */
    static String name(String name) {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
            throw new IllegalArgumentException("has a file with the name \"" + name + "\"");
        }
        return name;
    }
}
