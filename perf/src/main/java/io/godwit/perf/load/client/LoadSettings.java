package io.godwit.perf.load.client;

import java.time.Duration;

/**
 * How a scenario is run.
 *
 * @param warmUp time of sending before the measured time
 * @param duration the measured time; of a connection test: how long all connections are held
 * @param drain how long to wait at the end without an arrival for messages under way
 * @param window the most QoS 1 and 2 messages that a publisher has under way
 * @param connectRate connections per second while clients get ready, if the scenario does not set it
 * @param connecting the most connections that are being opened at a time
 * @param loops event loops, 1 to 256
 * @param isKeepingSessions whether persistent sessions are left at the broker
 * @param ackDelay how long after its arrival a subscriber acknowledges a message of QoS 1 or 2; zero: at once
 */
public record LoadSettings(
        Duration warmUp,
        Duration duration,
        Duration drain,
        int window,
        double connectRate,
        int connecting,
        int loops,
        boolean isKeepingSessions,
        Duration ackDelay) {
    public LoadSettings {
        require(!warmUp.isNegative() && warmUp.toHours() < 24, "warm-up", warmUp);
        require(duration.toMillis() >= 500 && duration.toHours() < 240, "duration (at least 0.5 s)", duration);
        require(!drain.isNegative() && drain.toHours() < 1, "drain", drain);
        require(window >= 1 && window <= 60_000, "window (1 to 60000)", window);
        require(connectRate > 0, "connect rate", connectRate);
        require(connecting >= 1, "connections being opened", connecting);
        require(loops >= 1 && loops <= 256, "event loops", loops);
        require(!ackDelay.isNegative() && ackDelay.toHours() < 1, "delay of acknowledgements", ackDelay);
    }

    public LoadSettings withAckDelay(Duration delay) {
        return new LoadSettings(
                warmUp, duration, drain, window, connectRate, connecting, loops, isKeepingSessions, delay);
    }

    private static void require(boolean isRight, String what, Object value) {
        if (!isRight) {
            throw new IllegalArgumentException(what + " out of bounds: " + value);
        }
    }
}
