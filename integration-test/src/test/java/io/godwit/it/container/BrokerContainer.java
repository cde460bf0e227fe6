package io.godwit.it.container;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.godwit.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.testcontainers.containers.Container.ExecResult;

/**
 * The packaged broker in a container, started by its own script, with the least that a node's file needs: who begins, a
 * listener for clients from outside, and where the others are, by name. Used by one thread.
 */
final class BrokerContainer implements AutoCloseable {
    private static final int MQTT_PORT = 1883;
    private static final String SCRIPTS = ClusterImage.GODWIT + "/bin/";
    private static final String CONFIG = "/etc/godwit.yml";
    private static final String DATA = "/var/godwit";
    /** The JVM's as of other brokers that live for a test. */
    private static final String OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    private final ClusterContainer container;

    /**
     * @param number from 1
     * @param properties for the JVM, as {@code name=value}
     */
    BrokerContainer(ContainerNetwork network, int number, List<String> names, List<String> properties)
            throws IOException {
        String name = names.get(number - 1);
        StringBuilder options = new StringBuilder(OPTIONS);
        properties.forEach(property -> options.append(" -D").append(property));
        container = new ClusterContainer(name, network, network.address(number - 1), MQTT_PORT)
                .file(CONFIG, configuration(number == 1, names))
                .environment("JVM_OPTS", options.toString())
                .environment("JVM_HEAP_OPTS", "-Xms64m -Xmx384m")
                .command(SCRIPTS + "standalone.sh", "start", "-f", "--config", CONFIG, "--data", DATA, "--log", "-");
    }

    private static String configuration(boolean begins, List<String> names) {
        List<String> seeds = new ArrayList<>();
        names.forEach(name -> seeds.add(name + ":8899"));
        return "bootstrap: " + begins + '\n'
                + "mqttServerConfig:\n"
                + "  tcpListener: {host: 0.0.0.0, port: " + MQTT_PORT + "}\n"
                + "clusterConfig:\n"
                + "  env: it\n"
                + "  seedEndpoints: " + String.join(",", seeds) + '\n'
                + "  tls: {plain: true}\n";
    }

    String name() {
        return container.name();
    }

    InetSocketAddress address() {
        return container.address();
    }

    void start() throws IOException {
        container.start();
    }

    /** As {@code standalone.sh status} tells. */
    void awaitReady(Duration patience) throws IOException {
        Await looks = Await.atMost(patience);
        ExecResult status;
        do {
            if (!container.isRunning()) {
                throw new IOException(name() + " has ended" + container.said());
            }
            status = container.tryRun(SCRIPTS + "standalone.sh", "status", "--data", DATA);
            if (status.getExitCode() == 0) {
                return;
            }
        } while (looks.again());
        throw new IOException(name() + " is not ready: " + status.getStdout() + container.said());
    }

    /** What {@code godwit-admin} tells, run inside. */
    JsonObject admin(String... command) throws IOException {
        JsonElement answer = JsonParser.parseString(order(command, "--json"));
        return answer.getAsJsonObject();
    }

    /** Has {@code godwit-admin} do something. */
    String order(String[] command, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(SCRIPTS + "godwit-admin"));
        words.addAll(List.of(command));
        words.addAll(List.of(more));
        words.addAll(List.of("--data", DATA));
        return container.run(words.toArray(String[]::new));
    }

    void kill() throws IOException {
        container.kill();
    }

    String said() {
        return container.said();
    }

    @Override
    public void close() throws IOException {
        container.close();
    }
}
