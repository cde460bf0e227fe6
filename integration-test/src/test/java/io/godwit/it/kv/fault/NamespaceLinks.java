package io.godwit.it.kv.fault;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Each node in a network namespace of its own; a bridge in one more namespace, where no packet filter of the machine
 * looks, joins them to each other and to us. Needs root and {@code ip}.
 *
 * <p>A link is cut one way by a wrong hardware address for the receiver in the sender's table of neighbours: the frames
 * leave, and nobody takes them. Neither side is told, connections stay open, and go on after the repair as TCP does
 * after any loss. A link is slow by a class of the kernel's traffic control at both ends of a node's cable, with a
 * short queue; what goes to our address, and comes from it, is in another class.
 *
 * <p>Namespaces bear our pid, {@code godwit-(pid)-(number)-(name)}, and so does our end of the cable,
 * {@code gw(pid)x(number)}. Whoever makes some removes those of processes that are gone, for one that was killed could
 * not.
 */
public final class NamespaceLinks implements Links {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceLinks.class);
    private static final Pattern NAMESPACE = Pattern.compile("godwit-(\\d+)-(\\d+)-\\w+");
    private static final AtomicInteger MADE = new AtomicInteger();
    /** A hardware address that nobody has: locally administered. */
    private static final String NOBODY = "02:00:00:00:00:01";

    private static final int HOST = 254;
    /** Waits before a slow link; what finds no room is lost, and sent again by TCP. */
    private static final String SLOW_QUEUE = "256kb";

    private final String stem;
    private final String cable;
    private final String network;
    private final int nodes;
    private final Thread atExit = new Thread(this::removeQuietly, "remove namespaces");
    private boolean isClosed;

    private NamespaceLinks(int nodes, String network) {
        long pid = ProcessHandle.current().pid();
        int number = MADE.incrementAndGet();
        this.stem = "godwit-" + pid + '-' + number + '-';
        this.cable = "gw" + pid + 'x' + number;
        this.network = network;
        this.nodes = nodes;
    }

    /**
     * One at a time, so that no two find the same network free.
     *
     * @throws IOException why this machine does not let us; nothing is left then
     */
    public static synchronized NamespaceLinks make(int nodes) throws IOException {
        removeStale();
        NamespaceLinks links = new NamespaceLinks(nodes, freeNetwork());
        Runtime.getRuntime().addShutdownHook(links.atExit);
        try {
            links.build();
        } catch (IOException e) {
            links.close();
            throw e;
        }
        return links;
    }

    private void build() throws IOException {
        String hub = stem + "hub";
        Command.run("ip", "netns", "add", hub);
        Command.run("ip", "-n", hub, "link", "add", "bridge", "type", "bridge");
        Command.run("ip", "-n", hub, "link", "set", "bridge", "up");
        Command.run("ip", "link", "add", cable, "type", "veth", "peer", "name", "host", "netns", hub);
        join(hub, "host");
        Command.run("ip", "addr", "add", network + HOST + "/24", "dev", cable);
        Command.run("ip", "link", "set", cable, "up");
        for (int node = 0; node < nodes; node++) {
            String space = space(node);
            Command.run("ip", "netns", "add", space);
            Command.run(
                    "ip", "-n", hub, "link", "add", "n" + node, "type", "veth", "peer", "name", "net", "netns", space);
            join(hub, "n" + node);
            Command.run("ip", "-n", space, "addr", "add", address(node) + "/24", "dev", "net");
            Command.run("ip", "-n", space, "link", "set", "net", "up");
            Command.run("ip", "-n", space, "link", "set", "lo", "up");
        }
    }

    private static void join(String hub, String port) throws IOException {
        Command.run("ip", "-n", hub, "link", "set", port, "master", "bridge", "up");
    }

    /** One of 198.18.0.0/15, which is set apart for tests of networks, that this machine has no route to. */
    private static String freeNetwork() throws IOException {
        String routes = Command.run("ip", "-4", "route", "show", "table", "all");
        Random random = new Random();
        for (int attempt = 0; attempt < 100; attempt++) {
            String network = "198.18." + random.nextInt(256) + '.';
            if (!routes.contains(network)) {
                return network;
            }
        }
        throw new IOException("all networks of 198.18.0.0/16 are in use");
    }

    private String space(int node) {
        return stem + 'n' + node;
    }

    @Override
    public String describe() {
        return "network namespaces " + stem + "*, " + network + "0/24";
    }

    @Override
    public String address(int node) {
        return network + (node + 1);
    }

    @Override
    public List<String> prefix(int node) {
        return List.of("ip", "netns", "exec", space(node));
    }

    @Override
    public int proxyPort(int node) {
        return 0;
    }

    @Override
    public void cut(int from, int to) throws IOException {
        Command.run(
                "ip",
                "-n",
                space(from),
                "neigh",
                "replace",
                address(to),
                "lladdr",
                NOBODY,
                "nud",
                "permanent",
                "dev",
                "net");
    }

    @Override
    public void heal(int from, int to) throws IOException {
        String known = Command.run("ip", "-n", space(from), "neigh", "show", address(to), "dev", "net");
        if (known.contains(NOBODY)) {
            Command.run("ip", "-n", space(from), "neigh", "del", address(to), "dev", "net");
        }
    }

    @Override
    public void slow(int node, long bytesPerSecond) throws IOException {
        hasten(node);
        slow(space(node), "net", "dst", bytesPerSecond);
        slow(stem + "hub", "n" + node, "src", bytesPerSecond);
    }

    /** @param end of a packet that is ours, when it is a client's */
    private void slow(String space, String device, String end, long bytesPerSecond) throws IOException {
        control(space, "qdisc add dev " + device + " root handle 1: htb default 2 r2q 10000");
        control(space, "class add dev " + device + " parent 1: classid 1:1 htb rate 10gbit");
        control(space, "class add dev " + device + " parent 1: classid 1:2 htb rate " + bytesPerSecond + "bps");
        control(space, "qdisc add dev " + device + " parent 1:2 bfifo limit " + SLOW_QUEUE);
        String ours = "match ip " + end + ' ' + network + HOST + "/32";
        control(space, "filter add dev " + device + " parent 1: protocol ip u32 " + ours + " flowid 1:1");
    }

    @Override
    public void hasten(int node) throws IOException {
        hasten(space(node), "net");
        hasten(stem + "hub", "n" + node);
    }

    private static void hasten(String space, String device) throws IOException {
        if (Command.run("tc", "-n", space, "qdisc", "show", "dev", device).contains("htb")) {
            control(space, "qdisc del dev " + device + " root");
        }
    }

    private static void control(String space, String words) throws IOException {
        List<String> command = new ArrayList<>(List.of("tc", "-n", space));
        command.addAll(List.of(words.split(" ", -1)));
        Command.run(command);
    }

    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        remove(stem, cable);
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            LOG.debug("the JVM ends", e);
        }
    }

    private void removeQuietly() {
        try {
            remove(stem, cable);
        } catch (IOException e) {
            LOG.warn("namespaces {}* stay", stem, e);
        }
    }

    /** What a killed process has left. */
    private static void removeStale() throws IOException {
        Set<String> stems = new HashSet<>();
        for (String space : spaces()) {
            Matcher name = NAMESPACE.matcher(space);
            if (name.matches() && isGone(Long.parseLong(name.group(1)))) {
                if (stems.add(name.group(1) + '-' + name.group(2))) {
                    LOG.info("removing the namespaces of process {}, which is gone", name.group(1));
                    remove(
                            "godwit-" + name.group(1) + '-' + name.group(2) + '-',
                            "gw" + name.group(1) + 'x' + name.group(2));
                }
            }
        }
    }

    private static boolean isGone(long pid) {
        Optional<ProcessHandle> owner = ProcessHandle.of(pid);
        return owner.isEmpty() || !owner.get().isAlive();
    }

    /** Ends what still runs inside, which nobody else can have started there. */
    private static void remove(String stem, String cable) throws IOException {
        for (String space : spaces()) {
            if (space.startsWith(stem)) {
                for (String pid : Command.run("ip", "netns", "pids", space).split("\\s+", -1)) {
                    if (!pid.isEmpty()) {
                        ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
                    }
                }
                Command.run("ip", "netns", "del", space);
            }
        }
        // it goes with the other end, but only when the kernel comes round to it
        if (Command.run("ip", "-o", "link", "show").contains(' ' + cable + '@')) {
            try {
                Command.run("ip", "link", "del", cable);
            } catch (IOException e) {
                LOG.debug("went by itself: {}", cable, e);
            }
        }
    }

    private static List<String> spaces() throws IOException {
        List<String> spaces = new ArrayList<>();
        for (String line : Command.run("ip", "netns", "list").split("\n", -1)) {
            String name = line.split(" ", -1)[0];
            if (!name.isEmpty()) {
                spaces.add(name);
            }
        }
        return spaces;
    }
}
