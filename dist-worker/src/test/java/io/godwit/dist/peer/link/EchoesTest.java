package io.godwit.dist.peer.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Peer;
import io.godwit.dist.wire.Serving;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class EchoesTest {
    private long nowNanos = -5; // such a clock may begin below 0
    private final Echoes here = new Echoes(() -> nowNanos);
    private final Echoes there = new Echoes(() -> nowNanos + 1_000_000);
    private final Peer toThere = peer();
    private final Peer toHere = peer();

    /** Only its identity matters. */
    private static Peer peer() {
        Object[] self = new Object[1];
        self[0] = Proxy.newProxyInstance(
                Peer.class.getClassLoader(),
                new Class<?>[] {Peer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "equals" -> arguments[0] == self[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        return (Peer) self[0];
    }

    private Serving said(Echoes by, Peer to) {
        nowNanos += 10;
        return by.outgoing(to).build();
    }

    @Test
    void anEchoIsNewOnlyOnce() {
        assertThat(there.arrived(toHere, said(here, toThere)))
                .as("no message had been sent to that node before")
                .isFalse();
        Serving answer = said(there, toHere);
        assertThat(here.arrived(toThere, answer)).isTrue();
        assertThat(here.arrived(toThere, answer))
                .as("the same answer is not new a second time")
                .isFalse();
    }

    /** Each answer is later than the one before, but still new. */
    @Test
    void aSlowPeerAnswers() {
        for (int i = 0; i < 10; i++) {
            Serving question = said(here, toThere);
            nowNanos += 1_000_000_000L * i;
            there.arrived(toHere, question);
            assertThat(here.arrived(toThere, said(there, toHere)))
                    .as("answer %d", i)
                    .isTrue();
        }
    }

    /** It sends as often as before. */
    @Test
    void aPeerThatHearsNothingDoesNotAnswer() {
        there.arrived(toHere, said(here, toThere));
        here.arrived(toThere, said(there, toHere));
        for (int i = 0; i < 10; i++) {
            said(here, toThere);
            assertThat(here.arrived(toThere, said(there, toHere))).isFalse();
        }
    }

    /** An older build leaves the fields out. */
    @Test
    void anOlderNodeNeverAnswers() {
        said(here, toThere);
        assertThat(here.arrived(toThere, Serving.newBuilder().setSince(7).build()))
                .isFalse();
    }

    @Test
    void aPeerThatIsOverIsForgotten() {
        there.arrived(toHere, said(here, toThere));
        there.over(toHere);
        assertThat(there.outgoing(toHere).getEcho()).isZero();
    }
}
