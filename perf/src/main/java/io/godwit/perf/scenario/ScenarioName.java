package io.godwit.perf.scenario;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the names by which users know their scenarios, ignoring case.
 *
 * <table>
 * <caption>Forms</caption>
 * <tr><td>{@code 30k_30k_qos1_p256_1mps_3n_3v}</td><td>BifroMQ: publishers, subscribers, QoS, payload, messages per
 * second each, nodes, voters. With voters the sessions are persistent. 0 messages per second: a closed loop. Equal
 * numbers: one to one; fewer publishers: fan-out; more: a shared group.</td></tr>
 * <tr><td>{@code conn-tcp-1M-5K_1n_true}</td><td>connections, how many per second, nodes, clean sessions; also with
 * {@code ssl} and {@code dual-ssl}, and without what follows the rate, as EMQ's tests are.</td></tr>
 * <tr><td>{@code qos0-p256-40K-0}</td><td>EMQ fan-in: messages per second in, none out</td></tr>
 * <tr><td>{@code qos0-p256-4-40K}</td><td>EMQ fan-out: publishers of one message a second, messages per second
 * out</td></tr>
 * <tr><td>{@code qos1-p64-15K-15K}</td><td>EMQ shared subscription: messages per second in and out</td></tr>
 * <tr><td>{@code rmqtt-conn-1M_1n}, {@code rmqtt-1M-40_1n}</td><td>RMQTT: connections with a subscription each;
 * subscribers and publishers</td></tr>
 * <tr><td>{@code C10k}, {@code 1MB-x1000}, {@code pub-100-1000}</td><td>mqtt-server: clients with one message each; a
 * message of that size from each of so many clients; publishers and their rate</td></tr>
 * </table>
 */
public final class ScenarioName {
    /** Idle connections in all tests of EMQ's report. */
    public static final int EMQ_BACKGROUND = 100_000;

    private static final String N = "(\\d[\\d.]*[km]?)";
    private static final Pattern BIFROMQ =
            Pattern.compile(N + "_" + N + "_qos([012])_p" + N + "_" + N + "mps_(\\d{1,3})n(?:_(\\d{1,2})v)?");
    private static final Pattern CONNECTIONS =
            Pattern.compile("conn-(tcp|ssl|tls|dual-ssl|mtls)-" + N + "-" + N + "(?:_(\\d{1,3})n)?(?:_(true|false))?");
    private static final Pattern EMQ = Pattern.compile("qos([012])-p" + N + "-" + N + "-" + N);
    private static final Pattern RMQTT_CONNECTIONS = Pattern.compile("rmqtt-conn-" + N + "(?:_(\\d{1,3})n)?");
    private static final Pattern RMQTT = Pattern.compile("rmqtt-" + N + "-(\\d{1,6})(?:_(\\d{1,3})n)?");
    private static final Pattern MANY = Pattern.compile("c" + N);
    private static final Pattern LARGE = Pattern.compile("(\\d{1,9})(kb|mb)-x(\\d{1,7})");
    private static final Pattern PUBLISHERS = Pattern.compile("pub-" + N + "-" + N);

    private static final List<Function<String, Optional<Scenario>>> FORMS = List.of(
            ScenarioName::bifromq,
            ScenarioName::connections,
            ScenarioName::emq,
            ScenarioName::rmqttConnections,
            ScenarioName::rmqtt,
            ScenarioName::many,
            ScenarioName::large,
            ScenarioName::publishers);

    private ScenarioName() {}

    /**
     * The scenario with this name; empty if the name has none of the forms.
     *
     * @throws IllegalArgumentException if it has a form, but numbers that are out of bounds
     */
    public static Optional<Scenario> parse(String name) {
        return FORMS.stream().flatMap(form -> form.apply(name).stream()).findFirst();
    }

    private static Optional<Scenario> bifromq(String name) {
        return match(BIFROMQ, name).map(m -> {
            int publishers = count(m.group(1));
            int subscribers = count(m.group(2));
            Topology topology = publishers == subscribers
                    ? Topology.ONE_TO_ONE
                    : publishers < subscribers ? Topology.FAN_OUT : Topology.SHARED;
            return Scenario.named(name, Family.BIFROMQ, topology)
                    .publishers(publishers)
                    .subscribers(subscribers)
                    .qos(Integer.parseInt(m.group(3)))
                    .payloadBytes(bytes(m.group(4)))
                    .ratePerPublisher(number(m.group(5)))
                    .nodes(Integer.parseInt(m.group(6)))
                    .voters(m.group(7) == null ? 0 : Integer.parseInt(m.group(7)))
                    .cleanSession(m.group(7) == null)
                    .build();
        });
    }

    private static Optional<Scenario> connections(String name) {
        return match(CONNECTIONS, name).map(m -> {
            Security security = switch (m.group(1)) {
                case "tcp" -> Security.PLAIN;
                case "ssl", "tls" -> Security.TLS;
                default -> Security.MUTUAL_TLS;
            };
            // BifroMQ's names have the nodes and the kind of session, EMQ's do not.
            Family family = m.group(4) == null ? Family.EMQ : Family.BIFROMQ;
            return Scenario.named(name, family, Topology.CONNECTIONS)
                    .security(security)
                    .background(count(m.group(2)))
                    .connectRate(number(m.group(3)))
                    .nodes(m.group(4) == null ? 1 : Integer.parseInt(m.group(4)))
                    .cleanSession(!"false".equals(m.group(5)))
                    .build();
        });
    }

    private static Optional<Scenario> emq(String name) {
        return match(EMQ, name).map(m -> {
            double in = number(m.group(3));
            double out = number(m.group(4));
            requireEmqRates(name, in, out);
            Topology topology = out == 0 ? Topology.FAN_IN : in == out ? Topology.SHARED : Topology.FAN_OUT;
            int payload = bytes(m.group(2));
            Scenario.Builder scenario = Scenario.named(name, Family.EMQ, topology)
                    .qos(Integer.parseInt(m.group(1)))
                    .payloadBytes(payload)
                    .background(EMQ_BACKGROUND);
            if (topology == Topology.FAN_OUT) {
                int publishers = (int) Math.max(1, Math.round(in));
                return scenario.publishers(publishers)
                        .subscribers((int) Math.max(1, Math.round(out / publishers)))
                        .ratePerPublisher(1)
                        .build();
            }
            int publishers = (int) Math.max(1, Math.round(in / ratePerEmqPublisher(topology, scenario.build(), in)));
            return scenario.publishers(publishers)
                    .subscribers(topology == Topology.SHARED ? 10 : 0)
                    .ratePerPublisher(in / publishers)
                    .build();
        });
    }

    private static void requireEmqRates(String name, double in, double out) {
        if (in <= 0) {
            throw new IllegalArgumentException("'" + name + "': nothing comes in");
        }
        if (out > 0 && out < in) {
            throw new IllegalArgumentException("'" + name + "': less goes out than comes in");
        }
        if (out > in && (in != Math.rint(in) || out % in != 0)) {
            throw new IllegalArgumentException("'" + name
                    + "': what goes out is no multiple of what comes in, one message a second by each publisher");
        }
    }

    /**
     * The rate of each publisher, as the names do not say how many publishers share the total. In the report each sends
     * ten messages a second, except in fan-in tests: one with payloads of 100K, five at QoS 2, and five at QoS 1 with
     * payloads of 10K.
     */
    private static double ratePerEmqPublisher(Topology topology, Scenario scenario, double in) {
        if (topology == Topology.FAN_IN) {
            if (scenario.payloadBytes() >= 100 * 1_024) {
                return 1;
            }
            if (scenario.qos() == 2 || (scenario.qos() == 1 && scenario.payloadBytes() >= 10 * 1_024)) {
                return 5;
            }
        }
        return Math.min(10, in);
    }

    private static Optional<Scenario> rmqttConnections(String name) {
        return match(RMQTT_CONNECTIONS, name)
                .map(m -> Scenario.named(name, Family.RMQTT, Topology.CONNECTIONS)
                        .subscribers(count(m.group(1)))
                        .qos(1)
                        .nodes(m.group(2) == null ? 1 : Integer.parseInt(m.group(2)))
                        .build());
    }

    private static Optional<Scenario> rmqtt(String name) {
        return match(RMQTT, name)
                .map(m -> Scenario.named(name, Family.RMQTT, Topology.RANDOM)
                        .subscribers(count(m.group(1)))
                        .publishers(count(m.group(2)))
                        .qos(1)
                        .payloadBytes(256)
                        .nodes(m.group(3) == null ? 1 : Integer.parseInt(m.group(3)))
                        .build());
    }

    private static Optional<Scenario> many(String name) {
        return match(MANY, name)
                .map(m -> Scenario.named(name, Family.MQTT_SERVER, Topology.CONNECT_AND_PUBLISH)
                        .publishers(count(m.group(1)))
                        .payloadBytes(100)
                        .messagesEach(1)
                        .build());
    }

    private static Optional<Scenario> large(String name) {
        return match(LARGE, name).map(m -> {
            long unit = m.group(2).equals("kb") ? 1 << 10 : 1 << 20;
            long size = Long.parseLong(m.group(1)) * unit;
            return Scenario.named(name, Family.MQTT_SERVER, Topology.CONNECT_AND_PUBLISH)
                    .publishers(Integer.parseInt(m.group(3)))
                    .payloadBytes((int) Math.min(Integer.MAX_VALUE, size))
                    .messagesEach(1)
                    .build();
        });
    }

    private static Optional<Scenario> publishers(String name) {
        return match(PUBLISHERS, name)
                .map(m -> Scenario.named(name, Family.MQTT_SERVER, Topology.FAN_IN)
                        .publishers(count(m.group(1)))
                        .ratePerPublisher(number(m.group(2)))
                        .payloadBytes(100)
                        .build());
    }

    private static Optional<Matcher> match(Pattern form, String name) {
        Matcher matcher = form.matcher(name.toLowerCase(Locale.ROOT));
        return matcher.matches() ? Optional.of(matcher) : Optional.empty();
    }

    private static double number(String text) {
        return Quantity.number(text)
                .orElseThrow(() -> new IllegalArgumentException("not a number as 15, 1.5k or 1M: " + text));
    }

    private static int count(String text) {
        double number = number(text);
        if (number < 1 || number > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("not a number of clients: " + text);
        }
        return (int) Math.round(number);
    }

    private static int bytes(String text) {
        return (int) Math.round(Quantity.bytes(text)
                .orElseThrow(() -> new IllegalArgumentException("not a size as 256 or 10K: " + text)));
    }
}
