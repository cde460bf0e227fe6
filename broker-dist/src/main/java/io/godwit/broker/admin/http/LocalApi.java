package io.godwit.broker.admin.http;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The address of the HTTP API for programs on this machine, in a file of the broker's data directory that only the
 * broker's user may read and write. The file grants no access by itself.
 *
 * <pre>
 * pid=(of the broker)
 * url=http://127.0.0.1:(port)
 * certificate=(the file whose first certificate the API presents; missing without TLS)
 * </pre>
 *
 * <p>A killed broker leaves the file behind. Any user of the machine could then listen on that port to collect a token,
 * so the file counts only while a process with that id runs as the owner of the file.
 *
 * @param certificate absolute
 */
public record LocalApi(long pid, URI url, Optional<Path> certificate) {
    private static final String FILE = "godwit.api";

    public static LocalApi of(long pid, InetSocketAddress bound, Optional<Path> certificate) {
        InetAddress address = bound.getAddress();
        String host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
        if (address instanceof Inet6Address && !address.isAnyLocalAddress()) {
            int zone = host.indexOf('%');
            host = "[" + (zone < 0 ? host : host.substring(0, zone)) + "]";
        }
        String scheme = certificate.isPresent() ? "https" : "http";
        return new LocalApi(
                pid, URI.create(scheme + "://" + host + ":" + bound.getPort()), certificate.map(Path::toAbsolutePath));
    }

    /** Replaces a file left by an earlier broker. */
    public void write(Path data) throws IOException {
        Path file = data.resolve(FILE);
        Path next = data.resolve(FILE + ".next");
        Files.deleteIfExists(next); // an old file would keep its permissions
        String text = "pid=" + pid + "\nurl=" + url + "\n"
                + certificate.map(path -> "certificate=" + path + "\n").orElse("");
        try (SeekableByteChannel channel = Files.newByteChannel(
                next,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    public static void remove(Path data) throws IOException {
        Files.deleteIfExists(data.resolve(FILE));
    }

    /** The API of the broker that runs on this data directory. */
    static LocalApi read(Path data) throws AdminException {
        Path file = data.resolve(FILE);
        try {
            LocalApi found = parse(file, Files.readString(file));
            if (!found.runs(file)) {
                throw new AdminException(Kind.UNREACHABLE, "no broker runs on " + data);
            }
            return found;
        } catch (NoSuchFileException e) {
            throw new AdminException(
                    Kind.UNREACHABLE,
                    Files.isDirectory(data)
                            ? "no broker with an HTTP API (apiServerConfig.enable) runs on " + data
                                    + "; give --url for one elsewhere"
                            : "there is no data directory " + data + "; give --data or --url",
                    e);
        } catch (AccessDeniedException e) {
            throw new AdminException(
                    Kind.UNREACHABLE,
                    e.getMessage() + " can be read by the broker's user only: run this as that user, or give --url",
                    e);
        } catch (IOException e) {
            throw new AdminException(Kind.UNREACHABLE, String.valueOf(e.getMessage()), e);
        }
    }

    private static LocalApi parse(Path file, String text) throws IOException {
        Map<String, String> values = new HashMap<>();
        text.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                values.put(line.substring(0, equals), line.substring(equals + 1));
            }
        });
        try {
            String url = values.get("url");
            if (url == null) {
                throw new IOException(file + " must have a line url=");
            }
            return new LocalApi(
                    Long.parseLong(values.getOrDefault("pid", "")),
                    URI.create(url),
                    Optional.ofNullable(values.get("certificate")).map(Path::of));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private boolean runs(Path file) throws IOException {
        if (ProcessHandle.of(pid).isEmpty()) {
            return false;
        }
        Path process = Path.of("/proc", Long.toString(pid));
        return !Files.exists(process) || Files.getOwner(process).equals(Files.getOwner(file));
    }
}
