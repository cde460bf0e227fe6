package io.godwit.mqtt.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.mqtt.codec.DecodeLimits;
import io.godwit.mqtt.transport.config.TransportConfig;
import io.godwit.testing.Await;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
    private static EventLoops loops(boolean arePacked) {
        return new EventLoops(new TransportConfig(
                3, arePacked, TransportConfig.Io.SOCKETS, 1 << 20, 0, DecodeLimits.DEFAULTS, Duration.ofSeconds(1)));
    }

    @Test
    void idleLoopsShareOneThread() {
        assumeTrue(Epoll.isAvailable(), "epoll, which is Linux's");
        EventLoops loops = loops(true);
        try {
            Await.until("one thread runs all loops", () -> loops.activeThreads() == 1);
            assertThat(loops.count()).isEqualTo(3);
        } finally {
            loops.close();
        }
    }

    /** Idle loops are joined after half a second. */
    @Test
    void eachLoopHasItsThreadWhenPackingIsOff() {
        EventLoops loops = loops(false);
        try {
            Await.holds("three threads run", Duration.ofSeconds(2), () -> loops.activeThreads() == 3);
        } finally {
            loops.close();
        }
    }
}
