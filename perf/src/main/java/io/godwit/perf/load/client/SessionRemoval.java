package io.godwit.perf.load.client;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.mqtt.MqttClient;
import java.util.List;

/**
 * Removes the sessions that persistent clients leave behind, by connecting for each with a clean session, a few at a
 * time. Confined to an event loop.
 */
final class SessionRemoval {
    private static final int AT_ONE_TIME = 64;

    private final Vertx vertx;
    private final RunContext run;
    private final List<Connection> sessions;
    private int begun;
    private int ended;
    private int removed;

    SessionRemoval(Vertx vertx, RunContext run, List<Connection> sessions) {
        this.vertx = vertx;
        this.run = run;
        this.sessions = List.copyOf(sessions);
    }

    /** @param done receives the number of sessions removed */
    void start(Promise<Integer> done) {
        if (sessions.isEmpty()) {
            done.complete(0);
            return;
        }
        for (int i = 0; i < Math.min(AT_ONE_TIME, sessions.size()); i++) {
            next(done);
        }
    }

    private void next(Promise<Integer> done) {
        int index = begun++;
        Connection session = sessions.get(index);
        MqttClient client = MqttClient.create(vertx, run.clients().options(session.clientId, index, true, 0, 1));
        Endpoint broker = session.broker;
        client.connect(broker.port(), broker.host())
                .compose(connack -> client.disconnect())
                .onComplete(result -> {
                    removed += result.succeeded() ? 1 : 0;
                    ended++;
                    if (begun < sessions.size()) {
                        next(done);
                    } else if (ended == sessions.size()) {
                        done.complete(removed);
                    }
                });
    }
}
