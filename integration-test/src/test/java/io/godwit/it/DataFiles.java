package io.godwit.it;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** The files of a data directory, and what tests do to them. */
final class DataFiles {
    private DataFiles() {}

    static Path firstRange(Path store) throws IOException {
        try (Stream<Path> ranges = Files.list(store)) {
            return ranges.filter(Files::isDirectory).sorted().findFirst().orElseThrow();
        }
    }

    /**
     * The kinds are told apart by directory and by name without its digits. Of tables it is the largest: a small one
     * may have nothing in it that anybody reads. Of others it is the last one by name.
     */
    static Iterable<Path> oneOfEachKind(Path data) throws IOException {
        Map<String, Path> kinds = new HashMap<>();
        try (Stream<Path> files = Files.walk(data)) {
            files.filter(Files::isRegularFile).sorted().forEach(file -> {
                String name = data.relativize(file).toString();
                String kind = name.replaceAll("[0-9a-f]{4,}|[0-9]+", "N");
                if (!name.endsWith("LOCK") && !name.endsWith("LOG") && !name.startsWith("godwit.")) {
                    kinds.merge(kind, file, name.endsWith(".sst") ? DataFiles::larger : (earlier, later) -> later);
                }
            });
        }
        return kinds.values();
    }

    private static Path larger(Path one, Path other) {
        return one.toFile().length() > other.toFile().length() ? one : other;
    }

    static void flipMiddle(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 0x10;
        Files.write(file, bytes);
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    /** Of a broker that does not run, but for what is made anew at each start: locks, logs and room for a full disk. */
    static byte[] zip(Path data) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes);
                Stream<Path> files = Files.walk(data)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
                String name = data.relativize(file).toString();
                if (!name.matches("(.*/)?(LOCK|LOG|LOG[.]old[.].*)|reserve|godwit[.].*")) {
                    zip.putNextEntry(new ZipEntry(name));
                    Files.copy(file, zip);
                    zip.closeEntry();
                }
            }
        }
        return bytes.toByteArray();
    }

    /** @param to is made, for its owner only, as a broker makes it */
    static void unzip(InputStream from, Path to) throws IOException {
        Files.createDirectories(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (ZipInputStream zip = new ZipInputStream(from)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = to.resolve(entry.getName()).normalize();
                if (!file.startsWith(to)) {
                    throw new IOException("an entry outside of the directory: " + entry.getName());
                }
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }

    static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
