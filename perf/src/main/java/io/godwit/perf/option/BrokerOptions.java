package io.godwit.perf.option;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.observe.ListeningProcess;
import io.godwit.perf.observe.MetricsUsage;
import io.godwit.perf.observe.ProcessUsage;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.scenario.Security;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which broker to put under load, how clients connect to it, and where its CPU and memory are read. */
public final class BrokerOptions {
    private static final Duration METRICS_PATIENCE = Duration.ofSeconds(3);

    private static final int PORT = 1_883;
    private static final int TLS_PORT = 8_883;

    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT,...",
            defaultValue = "127.0.0.1",
            description = "broker, or several, which clients take in turn (default: 127.0.0.1:1883, with TLS :8883); "
                    + "over WebSocket ws://HOST:PORT/PATH or wss://HOST:PORT/PATH (port 80 or "
                    + "443, path /mqtt unless given)")
    private String brokers = "127.0.0.1";

    @Option(
            names = "--ifaddrs",
            paramLabel = "ADDRESS,...",
            split = ",",
            description = "local addresses to connect from, in turn: for more connections than one has ports")
    private List<String> localAddresses = List.of();

    @Option(names = "--user", description = "user name")
    private @Nullable String user;

    @Option(names = "--password", description = "password; @FILE: the first line of a file")
    private @Nullable String password;

    @Option(
            names = "--keep-alive",
            paramLabel = "SECONDS",
            description = "keep-alive (default: ${DEFAULT-VALUE}; 0: no pings, and 18 hours)")
    private int keepAliveSeconds = 60;

    @Option(names = "--tls", description = "connect over TLS; scenarios named so do it anyway")
    private boolean isTls;

    @Option(
            names = "--cafile",
            paramLabel = "FILE",
            description = "PEM file of the authorities that brokers are trusted by (default: the JVM's)")
    private @Nullable Path authorities;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "PEM file of the certificate that clients show (mutual TLS)")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "PEM file of its private key")
    private @Nullable Path key;

    @Option(names = "--insecure", description = "trust any certificate of a broker, whatever its name")
    private boolean isInsecure;

    @Option(
            names = "--broker-pid",
            paramLabel = "PID,...",
            split = ",",
            description = "processes whose CPU and memory are the broker's; @FILE reads one (default: what listens "
                    + "on the port, when that is here)")
    private List<String> pids = List.of();

    @Option(
            names = "--broker-metrics",
            paramLabel = "URL,...",
            split = ",",
            description = "where brokers elsewhere tell their CPU and memory, in the text form of Prometheus")
    private List<URI> metrics = List.of();

    @Option(
            names = "--broker-cores",
            paramLabel = "N",
            description =
                    "cores of the broker's machine, for metrics that tell a share only (default: as many as here)")
    private int brokerCores = Runtime.getRuntime().availableProcessors();

    public String brokers() {
        return brokers;
    }

    /**
     * The settings of the clients of one load.
     *
     * @throws IllegalArgumentException if options contradict each other; its message is for the user
     */
    public ClientSettings clients(Security security) {
        ClientSettings clients = clients(security, brokers);
        if (clients.trust() == null && certificate != null) {
            throw new IllegalArgumentException("--cert: this load goes over plain TCP; --tls puts it over TLS");
        }
        return clients;
    }

    /**
     * As {@link #clients(Security)}, with the brokers given and with {@code --cert} allowed where it is not used: the
     * scenarios of a suite share the options, and not all of them need certificates.
     */
    public ClientSettings clients(Security security, String brokers) {
        boolean isPlain = security == Security.PLAIN && !isTls;
        List<Endpoint> endpoints = Endpoint.parseAll(brokers, isPlain ? PORT : TLS_PORT);
        boolean isTlsAsked = isTls || endpoints.stream().anyMatch(Endpoint::isWss);
        Security effective = security == Security.PLAIN && isTlsAsked ? Security.TLS : security;
        if (effective != Security.PLAIN && !endpoints.stream().allMatch(Endpoint::mayHaveTls)) {
            throw new IllegalArgumentException("--broker: ws:// is without TLS, and this load goes over TLS: wss://");
        }
        if (effective == Security.MUTUAL_TLS && (certificate == null || key == null)) {
            throw new IllegalArgumentException("mutual TLS needs --cert and --key");
        }
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("--cert and --key go together");
        }
        TlsMaterial tls = effective == Security.PLAIN
                ? new TlsMaterial(null, null)
                : TlsMaterial.load(
                        authorities, isInsecure, effective == Security.TLS && !isTlsAsked ? null : certificate, key);
        return new ClientSettings(
                endpoints,
                checked(localAddresses),
                tls.trust(),
                tls.identity(),
                !isInsecure,
                user,
                readPassword(),
                keepAliveSeconds);
    }

    private static List<String> checked(List<String> addresses) {
        for (String address : addresses) {
            try {
                if (!address.matches("[0-9a-fA-F.:]+")) {
                    throw new IllegalArgumentException("--ifaddrs: not an IP address: " + address);
                }
                InetAddress.getByName(address);
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("--ifaddrs: not an IP address: " + address, e);
            }
        }
        return addresses;
    }

    private @Nullable String readPassword() {
        return password != null && password.startsWith("@") ? firstLine(password.substring(1)) : password;
    }

    private static String firstLine(String file) {
        try (var lines = Files.lines(Path.of(file))) {
            return lines.findFirst().orElse("").strip();
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Where the brokers' CPU and memory are read; empty if no option says so and a broker's port is not listened on by
     * a process of this machine.
     */
    public Optional<UsageSource> watch(List<Endpoint> endpoints) {
        if (brokerCores < 1) {
            throw new IllegalArgumentException("--broker-cores must be at least 1, was " + brokerCores);
        }
        if (!metrics.isEmpty()) {
            metrics.forEach(BrokerOptions::requireHttp);
            MetricsUsage told = new MetricsUsage(metrics, brokerCores);
            if (!answers(told)) {
                throw new IllegalArgumentException(
                        "--broker-metrics: no answer with process_cpu_seconds_total or process_cpu_usage: " + metrics);
            }
            return Optional.of(told);
        }
        if (!pids.isEmpty()) {
            ProcessUsage given =
                    new ProcessUsage(pids.stream().map(BrokerOptions::pid).toList());
            if (given.read().isEmpty()) {
                throw new IllegalArgumentException("--broker-pid: no such process, or it cannot be read: " + pids);
            }
            return Optional.of(given);
        }
        Set<Long> found = new LinkedHashSet<>();
        for (Endpoint endpoint : endpoints) {
            Optional<Long> pid = process(endpoint);
            if (pid.isEmpty()) {
                return Optional.empty(); // figures of some of the brokers only would mislead
            }
            found.add(pid.get());
        }
        return Optional.of(new ProcessUsage(new ArrayList<>(found)));
    }

    /** Waits for metrics: a broker that has just started may accept connections a moment before it serves them. */
    private static boolean answers(UsageSource source) {
        long end = System.nanoTime() + METRICS_PATIENCE.toNanos();
        while (source.read().isEmpty()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        return true;
    }

    private static void requireHttp(URI metrics) {
        boolean isHttp = "http".equals(metrics.getScheme()) || "https".equals(metrics.getScheme());
        if (!isHttp || metrics.getHost() == null) {
            throw new IllegalArgumentException("--broker-metrics: not a URL as http://host:port/metrics: " + metrics);
        }
    }

    /** The broker's process on this machine: the first of {@code --broker-pid}, or the one that listens on its port. */
    public Optional<Long> process(Endpoint endpoint) {
        if (!pids.isEmpty()) {
            return Optional.of(pid(pids.get(0)));
        }
        return isLocal(endpoint) ? ListeningProcess.onPort(endpoint.port()) : Optional.empty();
    }

    private static long pid(String text) {
        String number = text.startsWith("@") ? firstLine(text.substring(1)) : text;
        if (!number.matches("\\d{1,10}")) {
            throw new IllegalArgumentException("--broker-pid: not a process number: " + text);
        }
        return Long.parseLong(number);
    }

    private static boolean isLocal(Endpoint endpoint) {
        try {
            InetAddress address = InetAddress.getByName(endpoint.host());
            return address.isLoopbackAddress() || java.net.NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException e) {
            return false; // connecting will report it
        }
    }
}
