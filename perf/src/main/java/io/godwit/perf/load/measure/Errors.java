package io.godwit.perf.load.measure;

import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.ssl.NotSslRecordException;
import io.vertx.mqtt.MqttConnectionException;
import java.nio.channels.ClosedChannelException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts errors by their text. Event loops add to it, and the thread that samples reads it at any time. */
public final class Errors {
    private static final int MOST_KINDS = 50;

    /** The return codes of MQTT 3.1.1, then those of 5.0. */
    private static final Set<MqttConnectReturnCode> USER_REFUSED = EnumSet.of(
            MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED,
            MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD,
            MqttConnectReturnCode.CONNECTION_REFUSED_NOT_AUTHORIZED_5,
            MqttConnectReturnCode.CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD);

    private final LongAdder count = new LongAdder();
    private final Map<String, LongAdder> byText = new ConcurrentHashMap<>();

    public void add(String text) {
        count.increment();
        // A bounded number of texts, as they may contain addresses and numbers.
        if (byText.size() < MOST_KINDS || byText.containsKey(text)) {
            byText.computeIfAbsent(text, key -> new LongAdder()).increment();
        }
    }

    public void add(String what, Throwable thrown) {
        String text = text(thrown);
        String reason = text(root(thrown));
        // "Failed to create SSL connection" alone does not say which side did not trust the other.
        add(what + ": " + (text.contains(reason) ? text : text + ": " + reason));
    }

    private static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static String text(Throwable thrown) {
        if (thrown instanceof MqttConnectionException refused && isAboutTheUser(refused.code())) {
            return thrown.getMessage() + " (--user and --password say who the clients are)";
        }
        if (thrown instanceof NotSslRecordException) {
            return "the port does not speak TLS";
        }
        if (thrown instanceof ClosedChannelException) {
            return "the broker closed the connection; over TLS that may be a port that does not speak it";
        }
        String text = thrown.getMessage();
        return text == null ? thrown.getClass().getSimpleName() : text;
    }

    private static boolean isAboutTheUser(MqttConnectReturnCode code) {
        return USER_REFUSED.contains(code);
    }

    public long count() {
        return count.sum();
    }

    public void addTo(Map<String, Long> sums) {
        byText.forEach((text, times) -> sums.merge(text, times.sum(), Long::sum));
    }

    public Optional<String> mostFrequent() {
        return byText.entrySet().stream()
                .max(Comparator.comparingLong(error -> error.getValue().sum()))
                .map(Map.Entry::getKey);
    }

    public void clear() {
        count.reset();
        byText.clear();
    }
}
