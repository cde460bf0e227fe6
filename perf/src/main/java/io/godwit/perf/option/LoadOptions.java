package io.godwit.perf.option;

import io.godwit.perf.load.client.LoadSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options common to all loads: times, windows, rates of connecting, event loops. */
public final class LoadOptions {
    @Option(
            names = {"--duration", "--seconds"},
            paramLabel = "TIME",
            converter = Durations.class,
            description = "time that is measured, as 30s or 2m; of connections: how long they are held (default: "
                    + "30s, held 5s)")
    private @Nullable Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "load before the measured time (default: 5s)")
    private @Nullable Duration warmUp;

    @Option(
            names = "--drain",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "how long to wait at the end while nothing arrives any more (default: 5s)")
    private Duration drain = Duration.ofSeconds(5);

    @Option(
            names = "--window",
            paramLabel = "N",
            description =
                    "QoS 1 and 2 messages that a publisher has under way at most (default: 1000; in a closed loop 16)")
    private @Nullable Integer window;

    @Option(
            names = "--connect-rate",
            paramLabel = "N",
            description = "connections per second while clients get ready (default: ${DEFAULT-VALUE})")
    private double connectRate = 1_000;

    @Option(
            names = "--connecting",
            paramLabel = "N",
            description = "connections that are being opened at one time, at most (default: ${DEFAULT-VALUE})")
    private int connecting = 1_000;

    @Option(names = "--loops", paramLabel = "N", description = "event loops of this tool (default: one for each core)")
    private int loops = Math.min(256, Runtime.getRuntime().availableProcessors());

    @Option(names = "--keep-sessions", description = "leave persistent sessions at the broker")
    private boolean isKeepingSessions;

    /** Null if the option was not given. */
    public @Nullable Duration duration() {
        return duration;
    }

    /** Null if the option was not given. */
    public @Nullable Duration warmUp() {
        return warmUp;
    }

    public double connectRate() {
        return connectRate;
    }

    public LoadSettings settings(boolean isClosedLoop, boolean isConnecting) {
        return settings(
                isClosedLoop,
                warmUp != null ? warmUp : Duration.ofSeconds(5),
                duration != null ? duration : Duration.ofSeconds(isConnecting ? 5 : 30));
    }

    /** As {@link #settings(boolean, boolean)}, with the times given instead of those of the options. */
    public LoadSettings settings(boolean isClosedLoop, Duration warmUp, Duration duration) {
        return new LoadSettings(
                warmUp,
                duration,
                drain,
                window != null ? window : isClosedLoop ? 16 : 1_000,
                connectRate,
                connecting,
                loops,
                isKeepingSessions,
                Duration.ZERO);
    }
}
