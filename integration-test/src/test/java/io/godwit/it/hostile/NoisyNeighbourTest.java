package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tenant at its limits beside one whose clients go about their business. The loud tenant has as many connections as
 * it may and wants more; its clients publish more than they may, messages that are too large, and to receivers that
 * acknowledge nothing. The clients of the quiet one lose nothing, and wait about as long as without such a neighbour.
 */
class NoisyNeighbourTest {
    private static final int CONNECTIONS = 60;
    private static final String TENANTS = """
            tenants:
              quiet: {}
              loud:
                maxConnections: %d
                maxPublishRate: 20
                maxBandwidthIn: 100000
                maxBandwidthOut: 100000
                maxPayloadBytes: 1000
                maxQueuedMessages: 100
                sendMaximum: 10
            """.formatted(CONNECTIONS);

    @TempDir
    private Path directory;

    private BrokerProcess broker;
    private LoudClients loud;

    @BeforeEach
    void start() throws Exception {
        broker = TenantBroker.with(directory, TENANTS).setting("banConfig", "{maxFailedLoginsPerSource: 0}");
        TenantBroker.start(broker);
        loud = LoudClients.of(broker.address());
    }

    @AfterEach
    void stop() throws IOException {
        loud.close();
        broker.close();
    }

    private Canary.Song quiet(Duration lasts) throws Exception {
        try (Canary canary = Canary.singing(broker.address(), config -> config.withLogin("quiet/user", "any"))) {
            Pace.pass(lasts);
            return canary.end();
        }
    }

    private Canary.Song besideNoise(Duration lasts) throws Exception {
        loud.begin();
        Await.until(() -> "at its limits: " + loud, Await.PATIENCE, () -> loud.isAtItsLimits(CONNECTIONS));
        Canary.Song song = quiet(lasts);
        System.out.printf("  beside a loud neighbour: %s%n    the neighbour: %s%n", song, loud.end());
        return song;
    }

    /**
     * On a machine that may be busy: far more than there is to wait without the neighbour, and yet less than there
     * would be if the quiet tenant stood in a queue behind the loud one.
     */
    @Test
    @Tag("full")
    @Tag("alone")
    void aTenantAtItsLimitsDoesNotStopAnother() throws Exception {
        Canary.Song alone = quiet(Duration.ofSeconds(5));
        System.out.printf("  alone: %s%n", alone);
        besideNoise(Duration.ofSeconds(5))
                .within(Duration.ofSeconds(3).plus(alone.p99().multipliedBy(10)));
    }

    /**
     * At most twice as long, on a machine that has nothing to do but this. What is compared is the middle one of five
     * turns of each kind, by turns, so that what happens once decides nothing. Below two milliseconds it is the clock
     * of the operating system that is measured.
     */
    @Test
    @Tag("long")
    void aTenantAtItsLimitsDoesNotSlowAnother() throws Exception {
        Duration lasts = Duration.ofSeconds(20);
        quiet(lasts); // a broker that has just been started interprets and compiles its code
        besideNoise(lasts.multipliedBy(3));
        List<Duration> alone = new ArrayList<>();
        List<Duration> beside = new ArrayList<>();
        for (int turn = 0; turn < 5; turn++) {
            Canary.Song song = quiet(lasts);
            System.out.printf("  alone: %s%n", song);
            alone.add(song.p99());
            beside.add(besideNoise(lasts).p99());
        }
        Duration usual = middle(alone);
        Duration least = Duration.ofMillis(2);
        Duration limit = (usual.compareTo(least) < 0 ? least : usual).multipliedBy(2);
        assertThat(middle(beside)).as("of %s, alone %s", beside, alone).isLessThanOrEqualTo(limit);
    }

    private static Duration middle(List<Duration> of) {
        return of.stream().sorted(Comparator.naturalOrder()).toList().get(of.size() / 2);
    }
}
