package io.godwit.dist.peer.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.cluster.testing.MemoryLinks;
import io.godwit.conformance.Clause;
import io.godwit.dist.client.DeliveryOrder;
import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.peer.link.ManualTimers;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.RequestPlace;
import io.godwit.kv.client.Resend;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.NodeWait;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HeldMessagesTest {
    private static final DeliveryToken TOKEN = new DeliveryToken("o", 1, 0);
    private static final int LARGE = Peer.PASSABLE_BYTES + 1;

    private static final Duration TIME = Duration.ofSeconds(7);

    private final ManualTimers timers = new ManualTimers();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<BrokerEvent> events = new ArrayList<>();
    private final WaitReports reports = new WaitReports(this::onEvent, meters, NodeWait.HELD_MESSAGE);
    private final HeldMessages held = held(1_000);
    private final MemoryLinks.Net net = new MemoryLinks.Net();
    private final MemoryLinks links = net.node("a", 1);
    private final List<String> fates = new ArrayList<>();
    private Peer peer;

    @BeforeEach
    void fill() {
        MemoryLinks other = net.node("b", 1);
        net.join(links);
        net.join(other);
        other.receive(Lane.LIVE, (from, frame) -> {});
        peer = links.peers().get(0);
        links.window(1);
        peer.send(Lane.LIVE, new byte[1]);
    }

    private HeldMessages held(long mostBytes) {
        return new HeldMessages(timers, timers::nanoTime, TIME, mostBytes, reports);
    }

    private void onEvent(BrokerEvent event) {
        assertThat(Thread.holdsLock(held)).isFalse();
        events.add(event);
    }

    private double overCount() {
        return meters.get("godwit.waits.over")
                .tag("wait", "held_message")
                .counter()
                .count();
    }

    private static BrokerEvent ranOut(String missing) {
        return new BrokerEvent.WaitRanOut(NodeWait.HELD_MESSAGE, TIME, missing);
    }

    private HeldMessages.Sending sending(String name) {
        return new HeldMessages.Sending() {
            @Override
            public void send() {
                fates.add(name);
                if (name.startsWith("bad")) {
                    throw new IllegalArgumentException("too large");
                }
            }

            @Override
            public void refuse(DistOutcome outcome) {
                fates.add(name + ' ' + outcome);
            }
        };
    }

    private static PublisherOrder order(String clientId) {
        return new PublisherOrder(TenantId.DEFAULT, new ClientId(clientId));
    }

    private void hold(String name, int bytes) {
        held.hold(peer, order("p"), bytes, bytes, null, Resend.ALWAYS, sending(name));
    }

    /** The first letter names the publisher. */
    private void hold(HeldMessages to, String name, int bytes) {
        to.hold(peer, order(name.substring(0, 1)), bytes, bytes, null, Resend.ALWAYS, sending(name));
    }

    private void look() {
        net.deliverAll();
        timers.advance(HeldMessages.LOOK);
    }

    @Test
    void whatWouldPassTheBoundIsRefusedAtOnceAndTheFirstNever() {
        hold("1", 2_000);
        hold("2", 1);
        look();
        hold("3", 500);
        hold("4", 500);
        hold("5", 1);
        assertThat(held.bytes()).isEqualTo(1_000);
        assertThat(fates).containsExactly("2 OVERLOADED", "1", "5 OVERLOADED");
    }

    /** Its frame may exceed the largest one. */
    @Test
    void oneThatCannotBeSentHoldsUpNobody() {
        hold("bad", 1);
        hold("2", 1);
        look();
        assertThat(fates).containsExactly("bad", "bad FAILED", "2");
        assertThat(held.isFull(peer, order("p"), 1)).isFalse();
        hold("3", 1);
        look();
        assertThat(fates).endsWith("3");
    }

    @Test
    void eachThatWaitsTooLongIsRefusedAndReportedOnce() {
        hold("1", 1);
        hold("2", 1);
        timers.advance(TIME.minus(HeldMessages.LOOK));
        hold("3", 1);
        assertThat(fates).isEmpty();
        assertThat(events).isEmpty();
        assertThat(overCount()).as("counted from the beginning").isZero();
        timers.advance(HeldMessages.LOOK);
        assertThat(fates).containsExactly("1 OVERLOADED", "2 OVERLOADED");
        assertThat(events).containsExactly(ranOut("room in the link to b/1"), ranOut("room in the link to b/1"));
        look();
        assertThat(fates).endsWith("3");
        assertThat(events).hasSize(2);
        assertThat(overCount()).isEqualTo(2);
    }

    @Test
    void theReportSaysWhatWasMissing() {
        boolean[] mustWait = {true};
        net.deliverAll();
        holdWhile(mustWait, "1");
        timers.advance(TIME);
        net.cut("a", "b");
        hold("2", 1);
        mustWait[0] = false;
        peer.send(Lane.LIVE, new byte[1]);
        timers.advance(TIME);
        assertThat(fates).containsExactly("1 OVERLOADED", "2 OVERLOADED");
        assertThat(events)
                .containsExactly(
                        ranOut("a proof that this node serves, for a message to b/1"),
                        ranOut("the link to b/1, which is broken"));
    }

    /** It has not waited, or something else refused it. */
    @Test
    void whatIsRefusedForAnotherReasonIsNotReported() {
        DeliveryOrder order = new DeliveryOrder();
        hold("1", 1_000);
        hold("2", 1);
        held.hold(peer, order("q"), 1, 0, order.token("o", 2, 0, false), Resend.ALWAYS, sending("3"));
        held.hold(peer, order("q"), 1, 0, TOKEN, () -> true, sending("4"));
        order.token("o", 1, 0, false).failed();
        timers.advance(TIME);
        assertThat(fates).containsExactly("2 OVERLOADED", "1 OVERLOADED", "3 OVERLOADED", "4 FAILED");
        assertThat(events).hasSize(1);
        assertThat(overCount()).isOne();
    }

    private void holdWhile(boolean[] mustWait, String name) {
        Resend resend = new Resend() {
            @Override
            public boolean isAbandoned() {
                return false;
            }

            @Override
            public boolean mustWait() {
                return mustWait[0];
            }
        };
        held.hold(peer, order("p"), 1, 1, TOKEN, resend, sending(name));
    }

    @Test
    void oneThatMayNotBeSentNowWaitsWithThoseBehindIt() {
        boolean[] mustWait = {true};
        holdWhile(mustWait, "1");
        hold("2", 1);
        look();
        look();
        assertThat(fates).isEmpty();
        assertThat(held.isFull(peer, order("other"), 1)).isTrue();
        mustWait[0] = false;
        look();
        assertThat(fates).containsExactly("1", "2");
    }

    /** Its publisher repeats it behind that one. */
    @Test
    @Clause({"MQTT5-4.6.0-5", "MQTT311-4.6.0-6"})
    void oneBehindAFailedOneIsNotSent() {
        RequestOrder order = new RequestOrder();
        holdPlaced("1", new RequestPlace(order, 1));
        timers.advance(HeldMessages.LOOK);
        holdPlaced("2", new RequestPlace(order, 2));
        hold("3", 1);
        order.failed(1);
        net.deliverAll();
        timers.advance(HeldMessages.LOOK);
        assertThat(fates).containsExactly("1", "2 OVERLOADED", "3");
    }

    private void holdPlaced(String name, RequestPlace place) {
        Resend resend = new Resend() {
            @Override
            public boolean isAbandoned() {
                return true; // only counts with a token
            }

            @Override
            public RequestPlace place() {
                return place;
            }
        };
        held.hold(peer, order("p"), 1, 1, null, resend, sending(name));
    }

    @Test
    void aTokenBehindAFailedOneIsNotSentEither() {
        DeliveryOrder order = new DeliveryOrder();
        held.hold(peer, order("p"), 1, 1, order.token("o", 2, 0, false), Resend.ALWAYS, sending("2"));
        order.token("o", 1, 0, false).failed();
        look();
        assertThat(fates).containsExactly("2 OVERLOADED");
    }

    @Test
    void aLargeOneHoldsUpItsPublisherAndOtherLargeOnesOnly() {
        HeldMessages roomy = held(1 << 20);
        peer.send(Lane.LIVE, new byte[LARGE], "x", null);
        net.holdLarge(true);
        net.deliverAll();
        assertThat(roomy.isFull(peer, order("q"), LARGE)).isTrue();
        assertThat(roomy.isFull(peer, order("q"), 1)).isFalse();
        hold(roomy, "q large", LARGE);
        assertThat(roomy.isFull(peer, order("q"), 1)).isTrue();
        assertThat(roomy.isFull(peer, order("p"), 1)).isFalse();
        hold(roomy, "q small", 1);
        hold(roomy, "r large", LARGE);
        look();
        assertThat(fates).isEmpty();
        assertThat(roomy.isFull(peer, order("p"), 1)).isFalse();
        net.holdLarge(false);
        look();
        assertThat(fates).containsExactly("q large", "q small", "r large");
        assertThat(roomy.isFull(peer, order("q"), 1)).isFalse();
        assertThat(roomy.bytes()).isZero();
    }

    @Test
    void aLargeOneAmongThoseThatWaitIsPassedWhenItsTurnComes() {
        HeldMessages roomy = held(1 << 20);
        peer.send(Lane.LIVE, new byte[LARGE], "x", null);
        net.holdLarge(true);
        for (String name : List.of("p1", "q1", "q2", "p2", "p3", "q3")) {
            hold(roomy, name, name.equals("q1") || name.equals("p3") ? LARGE : 1);
        }
        timers.advance(HeldMessages.LOOK);
        assertThat(fates).isEmpty();
        look();
        assertThat(fates).containsExactly("p1", "p2");
        net.holdLarge(false);
        look();
        assertThat(fates).containsExactly("p1", "p2", "q1", "q2", "p3", "q3");
    }
}
