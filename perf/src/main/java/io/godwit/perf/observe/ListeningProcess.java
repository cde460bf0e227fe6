package io.godwit.perf.observe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds the process of this machine that listens on a port, so that a local broker is watched without options. */
public final class ListeningProcess {
    private static final String LISTEN = "0A";

    private ListeningProcess() {}

    /** The process; empty if there is none, or if it belongs to another user. */
    public static Optional<Long> onPort(int port) {
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try {
                sockets.addAll(listening(Files.readAllLines(Path.of(table)), port));
            } catch (IOException | UncheckedIOException e) {
                // no IPv6, or not Linux: the other table may have it
            }
        }
        if (sockets.isEmpty()) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                if (holdsOneOf(process, sockets)) {
                    return Optional.of(Long.parseLong(process.getFileName().toString()));
                }
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    /** The sockets that listen on {@code port}, in the form of links to them: {@code socket:[INODE]}. */
    static Set<String> listening(List<String> table, int port) {
        Set<String> sockets = new HashSet<>();
        for (String line : table) {
            String[] fields = line.strip().split(" +", -1);
            if (fields.length > 9 && fields[3].equals(LISTEN)) {
                String local = fields[1];
                if (Integer.parseInt(local.substring(local.indexOf(':') + 1), 16) == port) {
                    sockets.add("socket:[" + fields[9] + "]");
                }
            }
        }
        return sockets;
    }

    private static boolean holdsOneOf(Path process, Set<String> sockets) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                if (sockets.contains(Files.readSymbolicLink(file).toString())) {
                    return true;
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException e) {
            return false; // it has ended, or belongs to another user
        }
        return false;
    }
}
