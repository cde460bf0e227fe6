package io.godwit.cluster.rpc;

import io.godwit.cluster.config.HostPort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Address and token with which programs of this machine reach the {@link LocalRpcServer} of a node. They are kept in a
 * file that only its owner may read, so that only those who may read the node's data may control the node.
 *
 * <pre>
 * rpc=127.0.0.1:(port)
 * token=(what each call must show, in hexadecimal)
 * </pre>
 *
 * @param token differs for each start of the server
 */
public record LocalAccess(HostPort address, String token) {

    /** Replaces the file atomically. Other users can never read it, not even for a moment. */
    void write(Path file) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.deleteIfExists(next); // an existing file would keep its permissions
        byte[] text = ("rpc=" + address + "\ntoken=" + token + "\n").getBytes(StandardCharsets.UTF_8);
        try (SeekableByteChannel channel = Files.newByteChannel(
                next,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            channel.write(ByteBuffer.wrap(text));
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** @throws IOException if the file is missing, cannot be read or has another format */
    public static LocalAccess read(Path file) throws IOException {
        String rpc = null;
        String token = null;
        for (String line : Files.readAllLines(file)) {
            rpc = valueOf("rpc=", line, rpc);
            token = valueOf("token=", line, token);
        }
        if (rpc == null || token == null) {
            throw new IOException(file + " must have a line rpc= and a line token=");
        }
        try {
            return new LocalAccess(HostPort.parse(rpc), token);
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": rpc " + e.getMessage(), e);
        }
    }

    private static @Nullable String valueOf(String key, String line, @Nullable String otherwise) {
        return line.startsWith(key) ? line.substring(key.length()).strip() : otherwise;
    }

    @Override
    public String toString() {
        return address.toString(); // the token must not be logged
    }
}
