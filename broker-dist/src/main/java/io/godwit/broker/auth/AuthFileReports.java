package io.godwit.broker.auth;

import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;

/** Counts reloads of files of users and rules, successful or rejected, and raises events for them. Thread-safe. */
public final class AuthFileReports {
    private final EventListener events;
    private final Counter loaded;
    private final Counter rejected;

    public AuthFileReports(EventListener events, MeterRegistry meters) {
        this.events = events;
        loaded = counter(meters, "loaded", "changed files of users and rules taken into use");
        rejected = counter(meters, "rejected", "changed files of users and rules that cannot be used");
    }

    private static Counter counter(MeterRegistry meters, String fate, String description) {
        return Counter.builder("godwit.auth.files." + fate)
                .description(description)
                .register(meters);
    }

    void loaded(Path file) {
        loaded.increment();
        if (events.isListening(BrokerEvent.AuthFileLoaded.class)) {
            events.onEvent(new BrokerEvent.AuthFileLoaded(file.toString()));
        }
    }

    void rejected(Path file, String cause) {
        rejected.increment();
        if (events.isListening(BrokerEvent.AuthFileRejected.class)) {
            events.onEvent(new BrokerEvent.AuthFileRejected(file.toString(), cause));
        }
    }
}
