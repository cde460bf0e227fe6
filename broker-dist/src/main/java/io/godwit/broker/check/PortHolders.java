package io.godwit.broker.check;

import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.ClusterSettings;
import io.godwit.broker.effective.ListenerSection;
import java.io.IOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the processes that listen on ports which this broker needs, as far as {@code /proc} shows them; for a process
 * of another user, only that user's id. Used once, after a failed start.
 */
public final class PortHolders {
    private static final Logger LOG = LoggerFactory.getLogger(PortHolders.class);
    private static final String LISTENING = "0A";
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;

    private final Path proc;

    /** A listening socket. */
    private record Socket(int port, String user) {}

    public PortHolders() {
        this(Path.of("/proc"));
    }

    PortHolders(Path proc) {
        this.proc = proc;
    }

    /**
     * Whether the start failed because a port is in use. Native transports throw an exception of their own for this.
     */
    public static boolean isBusyPort(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof BindException
                    || String.valueOf(each.getMessage()).contains("Address already in use")) {
                return true;
            }
        }
        return false;
    }

    /** All ports in the configuration. */
    public static Set<Integer> portsOf(BrokerConfig config) {
        Set<Integer> ports = new TreeSet<>();
        config.listeners().stream().filter(ListenerSection::isEnabled).forEach(section -> ports.add(section.port()));
        if (config.api().enable()) {
            ports.add(config.api().port());
        }
        if (ClusterSettings.isClustered(config)) {
            ports.add(config.cluster().port());
            ports.add(ClusterSettings.rpcPort(config));
        }
        return ports;
    }

    /** One line for each other process that listens on one of {@code ports}. */
    public SortedSet<String> of(Set<Integer> ports) {
        Map<String, Socket> sockets = new HashMap<>();
        for (String table : List.of("tcp", "tcp6")) {
            listening(table, ports, sockets);
        }
        SortedSet<String> holders = new TreeSet<>();
        if (sockets.isEmpty()) {
            return holders;
        }
        Map<String, Socket> unknown = new HashMap<>(sockets);
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(proc, "[1-9]*")) {
            for (Path process : processes) {
                for (String inode : openSockets(process)) {
                    Socket socket = sockets.get(inode);
                    if (socket != null) {
                        unknown.remove(inode);
                        if (!isThis(process)) {
                            holders.add("port " + socket.port() + " is held by process " + describe(process));
                        }
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("processes not listed directory={}", proc, e);
        }
        unknown.values()
                .forEach(socket -> holders.add("port " + socket.port()
                        + " is held by a process that this user may not inspect, of the user with the id "
                        + socket.user()));
        return holders;
    }

    private void listening(String table, Set<Integer> ports, Map<String, Socket> sockets) {
        try {
            for (String line : Files.readAllLines(proc.resolve("net").resolve(table), StandardCharsets.ISO_8859_1)) {
                String[] words = line.strip().split("\\s+", -1);
                if (words.length > INODE && words[STATE].equals(LISTENING)) {
                    String address = words[LOCAL_ADDRESS];
                    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
                    if (ports.contains(port)) {
                        sockets.put(words[INODE], new Socket(port, words[USER]));
                    }
                }
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("sockets not listed table={}", table, e);
        }
    }

    /** The inodes of the open sockets of a process; empty if access is denied. */
    private static List<String> openSockets(Path process) {
        List<String> inodes = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path file : files) {
                String target = target(file);
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.trace("process not looked at process={}", process, e);
        }
        return inodes;
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) { // the file was closed meanwhile
            return "";
        }
    }

    private static boolean isThis(Path process) {
        return String.valueOf(process.getFileName())
                .equals(Long.toString(ProcessHandle.current().pid()));
    }

    /**
     * The process id and program, or the data directory of a broker. Leaves out other arguments, which may contain
     * secrets.
     */
    private static String describe(Path process) {
        String pid = String.valueOf(process.getFileName());
        List<String> words;
        try {
            words = List.of(Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                    .split("\0", -1));
        } catch (IOException e) {
            return pid;
        }
        String data = words.contains("io.godwit.broker.Main") ? after("--data", words) : null;
        return data == null ? pid + ": " + words.get(0) : pid + ": a broker on " + data;
    }

    private static @Nullable String after(String option, List<String> words) {
        int at = words.indexOf(option);
        return at >= 0 && at + 1 < words.size() ? words.get(at + 1) : null;
    }
}
