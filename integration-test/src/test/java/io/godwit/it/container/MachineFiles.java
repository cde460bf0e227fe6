package io.godwit.it.container;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.it.kv.fault.Command;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/** The files of {@link ClusterImage}, gathered on this machine and written as a tar. Used once, by one thread. */
final class MachineFiles {
    /** What {@code bin/standalone.sh} and {@code bin/godwit-admin} call, and what a look into a container needs. */
    private static final List<String> PROGRAMS = List.of(
            "bash",
            "sh",
            "env",
            "cat",
            "date",
            "dirname",
            "find",
            "flock",
            "grep",
            "head",
            "ls",
            "mkdir",
            "mv",
            "nohup",
            "readlink",
            "rm",
            "sed",
            "sleep",
            "stat",
            "tail",
            "touch",
            "tr");
    /** Done without where it is not installed. */
    static final String IP = "ip";

    /** Sources, what serves compilers, and the JVM's archive for large heaps. */
    private static final Set<String> NOT_NEEDED =
            Set.of("lib/src.zip", "lib/ct.sym", "lib/jrt-fs.jar", "lib/server/classes_nocoops.jsa");
    /** Libraries that draw and play: they would bring half a desktop along. */
    private static final Pattern DESKTOP = Pattern.compile(
            "lib(atk-wrapper|awt_xawt|fontmanager|freetype|javajpeg|jawt|jsound|lcms|mlib_image|splashscreen|j2"
                    + "pcsc)\\.so");

    private static final Pattern LINKED = Pattern.compile("(?:=>\\s*)?(/\\S+) \\(0x[0-9a-f]+\\)");
    private static final int ELF_HEAD_BYTES = 20;

    private final Path javaHome;
    private final Path distribution;
    /** By their path in the image. */
    private final Map<String, Path> files = new TreeMap<>();

    MachineFiles(Path javaHome, Path distribution) throws IOException {
        this.javaHome = javaHome.toRealPath();
        this.distribution = distribution.toRealPath();
    }

    static @Nullable Path program(String name) {
        for (String directory : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":", -1)) {
            Path program = Path.of(directory, name);
            if (Files.isExecutable(program) && Files.isRegularFile(program)) {
                return program;
            }
        }
        return null;
    }

    void write(OutputStream out) throws IOException {
        List<String> linked = new ArrayList<>();
        addJava(linked);
        addPrograms(linked);
        for (String part : List.of("bin", "conf", "lib", "plugins")) {
            addTree(distribution, part, ClusterImage.GODWIT);
        }
        Path natives = Files.createTempDirectory("natives");
        try {
            linked.addAll(extractNatives(natives));
            addLibraries(linked);
        } finally {
            deleteTree(natives);
        }
        Path cache = Path.of("/etc/ld.so.cache");
        if (Files.exists(cache)) {
            files.put("/etc/ld.so.cache", cache);
        }
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8")) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            writeTo(tar);
        }
    }

    private void addJava(List<String> linked) throws IOException {
        files.put(ClusterImage.JAVA_HOME + "/bin/java", javaHome.resolve("bin/java"));
        files.put(ClusterImage.JAVA_HOME + "/release", javaHome.resolve("release"));
        addTree(javaHome, "conf", ClusterImage.JAVA_HOME);
        addTree(javaHome, "lib", ClusterImage.JAVA_HOME);
        for (Path file : files.values()) {
            if (file.startsWith(javaHome) && (file.endsWith("bin/java") || isLibrary(file))) {
                linked.add(file.toString());
            }
        }
    }

    private void addPrograms(List<String> linked) throws IOException {
        List<String> programs = new ArrayList<>(PROGRAMS);
        programs.add(IP);
        for (String name : programs) {
            Path program = program(name);
            if (program != null) {
                files.put("/usr/bin/" + name, program);
                linked.add(program.toString());
            } else if (!name.equals(IP)) {
                throw new IOException("this machine has no " + name);
            }
        }
    }

    private static boolean isLibrary(Path file) {
        return file.toString().endsWith(".so");
    }

    /** Links are followed: packages of JDKs have their configuration elsewhere. */
    private void addTree(Path root, String part, String to) throws IOException {
        Path start = root.resolve(part);
        if (!Files.isDirectory(start)) {
            return;
        }
        try (Stream<Path> found = Files.walk(start, FileVisitOption.FOLLOW_LINKS)) {
            for (Path file : found.filter(Files::isRegularFile).toList()) {
                String relative = root.relativize(file).toString();
                if (!NOT_NEEDED.contains(relative)
                        && !DESKTOP.matcher(file.getFileName().toString()).matches()) {
                    files.put(to + '/' + relative, file);
                }
            }
        }
    }

    /** Those for this machine's processors that the jars bring along. */
    private List<String> extractNatives(Path directory) throws IOException {
        byte[] ours = elfHead(Files.newInputStream(javaHome.resolve("bin/java")));
        List<String> natives = new ArrayList<>();
        for (Path jar : List.copyOf(files.values())) {
            if (!jar.startsWith(distribution) || !jar.toString().endsWith(".jar")) {
                continue;
            }
            try (ZipFile zip = new ZipFile(jar.toFile())) {
                for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
                    ZipEntry entry = entries.nextElement();
                    if (entry.getName().endsWith(".so") && isFor(ours, elfHead(zip.getInputStream(entry)))) {
                        Path file = directory.resolve(natives.size() + ".so");
                        try (InputStream in = zip.getInputStream(entry)) {
                            Files.copy(in, file);
                        }
                        natives.add(file.toString());
                    }
                }
            }
        }
        return natives;
    }

    private static byte[] elfHead(InputStream in) throws IOException {
        try (in) {
            return in.readNBytes(ELF_HEAD_BYTES);
        }
    }

    /** Same class, same byte order, same machine. */
    private static boolean isFor(byte[] ours, byte[] head) {
        return head.length == ELF_HEAD_BYTES
                && Arrays.equals(ours, 0, 6, head, 0, 6)
                && Arrays.equals(ours, 18, 20, head, 18, 20);
    }

    /** All that these are linked with, and the loader. */
    private void addLibraries(List<String> linked) throws IOException {
        List<String> words = new ArrayList<>(List.of("sh", "-c", "ldd \"$@\" 2>/dev/null || true", "ldd"));
        words.addAll(linked);
        Matcher library = LINKED.matcher(Command.run(words));
        Set<String> found = new TreeSet<>();
        while (library.find()) {
            found.add(library.group(1));
        }
        if (found.isEmpty()) {
            throw new IOException("ldd names no library for " + linked);
        }
        for (String path : found) {
            if (!Path.of(path).normalize().startsWith(javaHome)) {
                files.put(path, Path.of(path));
            }
        }
        // which the C library loads by name when it looks hosts up; newer ones have it within
        for (String path : found) {
            Path beside = Path.of(path).resolveSibling("libnss_files.so.2");
            Path dns = beside.resolveSibling("libnss_dns.so.2");
            if (Files.exists(beside) && Files.exists(dns)) {
                files.put(beside.toString(), beside);
                files.put(dns.toString(), dns);
            }
        }
    }

    private void writeTo(TarArchiveOutputStream tar) throws IOException {
        directory(tar, "/tmp/", 01777);
        link(tar, "/bin", "usr/bin");
        text(tar, "/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n");
        text(tar, "/etc/group", "root:x:0:\n");
        text(tar, "/etc/nsswitch.conf", "hosts: files dns\n");
        for (Map.Entry<String, Path> file : files.entrySet()) {
            TarArchiveEntry entry = new TarArchiveEntry(file.getKey().substring(1));
            entry.setSize(Files.size(file.getValue()));
            entry.setMode(Files.isExecutable(file.getValue()) ? 0755 : 0644);
            // the JVM's archive of its own classes is for files of this time
            entry.setModTime(
                    file.getValue().startsWith(javaHome)
                            ? Files.getLastModifiedTime(file.getValue()).toMillis()
                            : 0);
            tar.putArchiveEntry(entry);
            Files.copy(file.getValue(), tar);
            tar.closeArchiveEntry();
        }
    }

    private static void directory(TarArchiveOutputStream tar, String path, int mode) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(path.substring(1));
        entry.setMode(mode);
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
    }

    private static void link(TarArchiveOutputStream tar, String path, String to) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry(path.substring(1), TarConstants.LF_SYMLINK);
        entry.setLinkName(to);
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
    }

    private static void text(TarArchiveOutputStream tar, String path, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        TarArchiveEntry entry = new TarArchiveEntry(path.substring(1));
        entry.setSize(bytes.length);
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }

    private static void deleteTree(Path root) throws IOException {
        try (Stream<Path> found = Files.walk(root)) {
            for (Path file : found.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
