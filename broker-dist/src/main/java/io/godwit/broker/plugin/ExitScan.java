package io.godwit.broker.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.objectweb.asm.ClassReader;

/**
 * Finds classes of a jar that refer to methods which end the process: {@code System.exit}, {@code Runtime.exit}, {@code
 * Runtime.halt}. It reads the constant pools, so it finds method references, but not reflection.
 */
public final class ExitScan {
    private static final Map<String, Set<String>> ENDS =
            Map.of("java/lang/System", Set.of("exit"), "java/lang/Runtime", Set.of("exit", "halt"));

    private static final int MAX_CLASS_BYTES = 16 << 20;
    private static final int MAX_ENTRIES = 200_000;
    private static final int MAGIC = 0xCAFEBABE;
    private static final int HEADER = 10;
    /** Tags of constants that name a method of a class or of an interface. */
    private static final int METHOD = 10;

    private static final int INTERFACE_METHOD = 11;
    /** The class file version of Java 17. The parts that are read are the same in all versions. */
    private static final int MAJOR = 61;

    private ExitScan() {}

    /**
     * The first reference; empty if there is none. Blocks.
     *
     * @return such as {@code org.acme.Main refers to System.exit}
     * @throws IOException when the jar or a class in it cannot be read
     */
    public static Optional<String> of(Path jar) throws IOException {
        try (JarFile opened = new JarFile(jar.toFile())) {
            int entries = 0;
            for (JarEntry entry : (Iterable<JarEntry>) opened.stream()::iterator) {
                if (++entries > MAX_ENTRIES) {
                    throw new IOException(jar + " has more than " + MAX_ENTRIES + " entries");
                }
                if (!entry.isDirectory() && entry.getName().endsWith(".class")) {
                    Optional<String> found = inClass(entry.getName(), read(opened, entry));
                    if (found.isPresent()) {
                        return found;
                    }
                }
            }
            return Optional.empty();
        }
    }

    private static byte[] read(JarFile jar, JarEntry entry) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(MAX_CLASS_BYTES + 1);
            if (bytes.length > MAX_CLASS_BYTES) {
                throw new IOException(entry.getName() + " is larger than " + MAX_CLASS_BYTES + " bytes");
            }
            return bytes;
        }
    }

    private static Optional<String> inClass(String entry, byte[] bytes) throws IOException {
        if (bytes.length < HEADER || intAt(bytes, 0) != MAGIC) {
            throw new IOException(entry + " is no class");
        }
        bytes[6] = 0;
        bytes[7] = MAJOR; // ASM refuses versions that it does not know
        try {
            ClassReader reader = new ClassReader(bytes);
            char[] buffer = new char[reader.getMaxStringLength()];
            for (int i = 1; i < reader.getItemCount(); i++) {
                int at = reader.getItem(i);
                int tag = at == 0 ? 0 : bytes[at - 1];
                if (tag == METHOD || tag == INTERFACE_METHOD) {
                    String owner = reader.readClass(at, buffer);
                    String method = reader.readUTF8(reader.getItem(reader.readUnsignedShort(at + 2)), buffer);
                    if (ENDS.getOrDefault(owner, Set.of()).contains(method)) {
                        return Optional.of(reader.getClassName().replace('/', '.') + " refers to "
                                + owner.substring(owner.lastIndexOf('/') + 1) + "." + method);
                    }
                }
            }
            return Optional.empty();
        } catch (IndexOutOfBoundsException | IllegalArgumentException | NullPointerException e) {
            throw new IOException(entry + " is no class that can be read: " + e, e);
        }
    }

    private static int intAt(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8 | bytes[at + 3] & 0xFF;
    }
}
