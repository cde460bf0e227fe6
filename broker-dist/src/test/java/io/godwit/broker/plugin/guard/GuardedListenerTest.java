package io.godwit.broker.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.broker.plugin.PluginStage;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.event.BrokerEvent;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.EventListenerFactory;
import io.godwit.plugin.event.PluginFault;
import io.godwit.plugin.message.Qos;
import io.godwit.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Listeners that misbehave: the threads that raise events are not blocked, and all other listeners receive them. */
@Timeout(60)
class GuardedListenerTest {
    private static final BrokerEvent LEFT = new BrokerEvent.MemberLeft("b", 7);

    @TempDir
    Path directory;

    private PluginStage stage;
    private final List<BrokerEvent> logged = new CopyOnWriteArrayList<>();
    private final PluginEvents events = new PluginEvents(new EventListener() {
        @Override
        public void onEvent(BrokerEvent event) {
            logged.add(event);
        }

        @Override
        public boolean isListening(Class<? extends BrokerEvent> kind) {
            return kind == BrokerEvent.MemberServing.class;
        }
    });

    @BeforeEach
    void open() {
        stage = new PluginStage(directory, Map.of());
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private record Factory(String name, EventListener listener) implements EventListenerFactory, Plugin {
        @Override
        public EventListener create() {
            return listener;
        }

        @Override
        public boolean isNonBlocking() {
            return true; // which changes nothing
        }
    }

    private void begin(EventListener... listeners) throws Exception {
        List<EventListenerFactory> adopted = new ArrayList<>();
        for (EventListener each : listeners) {
            EventListenerFactory factory = new Factory(adopted.isEmpty() ? "acme" : "other", each);
            adopted.add(stage.host()
                    .adopt(EventListenerFactory.class, "event-listener", factory.name(), factory, stage.home()));
        }
        stage.host().start();
        List<EventListener> made = new ArrayList<>();
        for (EventListenerFactory each : adopted) {
            made.add(each.create());
        }
        events.begin(made);
    }

    /** A listener that wants one kind of event. */
    private abstract static class Wanting implements EventListener {
        private final Class<? extends BrokerEvent> wanted;

        Wanting(Class<? extends BrokerEvent> wanted) {
            this.wanted = wanted;
        }

        @Override
        public boolean isListening(Class<? extends BrokerEvent> kind) {
            return kind == wanted;
        }
    }

    @Test
    void isToldInOrderOnAThreadOfThePluginOfWhatItWants() throws Exception {
        List<BrokerEvent> heard = new CopyOnWriteArrayList<>();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        begin(new Wanting(BrokerEvent.MemberLeft.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                threads.add(Thread.currentThread().getName() + " "
                        + (Thread.currentThread().getContextClassLoader() == stage.classes));
                heard.add(event);
            }
        });

        assertThat(events.isListening(BrokerEvent.MemberLeft.class)).isTrue();
        assertThat(events.isListening(BrokerEvent.MemberServing.class))
                .as("the log listens to this event")
                .isTrue();
        assertThat(events.isListening(BrokerEvent.PublishReceived.class))
                .as("nothing listens to this event")
                .isFalse();
        List<BrokerEvent> raised = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            BrokerEvent event = new BrokerEvent.MemberLeft("b", i);
            raised.add(event);
            events.onEvent(event);
        }
        events.onEvent(new BrokerEvent.MemberServing("b", 7));
        Await.until("all are heard", () -> heard.size() == 1_000);
        events.close();

        assertThat(heard).isEqualTo(raised);
        assertThat(threads).containsExactly("plugin-acme-events-1 true");
        assertThat(logged).containsExactly(new BrokerEvent.MemberServing("b", 7));
        assertThat(stage.state().isInline()).isFalse();
        assertThat(stage.state().calls()).isEqualTo(1_000);
        assertThat(stage.events).isEmpty();
    }

    @Test
    void whatItThrowsIsCountedEachTimeAndToldOnce() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        begin(new Wanting(BrokerEvent.MemberLeft.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                if (calls.incrementAndGet() % 2 == 0) {
                    throw new IllegalStateException("no");
                }
                GuardedListenerTest.<RuntimeException>sneak(new Exception("not declared"));
            }
        });
        for (int i = 0; i < 500; i++) {
            events.onEvent(LEFT);
        }

        Await.until("all were told", () -> calls.get() == 500);
        Await.until("it is told", () -> stage.hasTold(PluginFault.THREW));
        assertThat(stage.events)
                .hasSize(1)
                .allSatisfy(event -> assertThat(event.kind()).isEqualTo("event-listener"));
        assertThat(stage.state().lastFault()).startsWith("threw: ").contains("onEvent of MemberLeft");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> void sneak(Exception e) throws E {
        throw (E) e;
    }

    @Test
    void oneThatBlocksForEverHoldsUpNobodyAndItsEventsAreDroppedAndCounted() throws Exception {
        AtomicInteger others = new AtomicInteger();
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        begin(
                new Wanting(BrokerEvent.MemberLeft.class) {
                    @Override
                    public void onEvent(BrokerEvent event) {
                        isIn.countDown();
                        while (true) {
                            try {
                                if (never.await(1, TimeUnit.HOURS)) {
                                    return;
                                }
                            } catch (InterruptedException e) {
                                // it does not care
                            }
                        }
                    }
                },
                new Wanting(BrokerEvent.MemberLeft.class) {
                    @Override
                    public void onEvent(BrokerEvent event) {
                        others.incrementAndGet();
                    }
                });
        events.onEvent(LEFT);
        assertThat(isIn.await(30, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < EventListenerFactory.MAX_WAITING + 500; i++) {
            int told = i;
            events.onEvent(LEFT);
            Await.until("the other one keeps up", () -> others.get() > told - 1_000);
        }

        assertThat(stage.meters
                        .get("godwit.plugins.events.dropped")
                        .tags("plugin", "acme")
                        .functionCounter()
                        .count())
                .isEqualTo(500);
        assertThat(stage.meters
                        .get("godwit.plugins.events.waiting")
                        .tags("plugin", "acme")
                        .gauge()
                        .value())
                .isEqualTo(EventListenerFactory.MAX_WAITING);
        Await.until("drops are told", () -> stage.hasTold(PluginFault.QUEUE_FULL));
        Await.until("the call is told", () -> stage.hasTold(PluginFault.NO_ANSWER));
        assertThat(stage.events)
                .anyMatch(event -> event.detail().contains("onEvent of MemberLeft: has not returned after 500 ms"))
                .anyMatch(event -> event.detail().contains("500 events dropped"));
        Await.until("all told", () -> others.get() == EventListenerFactory.MAX_WAITING + 501);
        events.close(); // at most half a second
        never.countDown();
    }

    @Test
    void oneThatWaitsIsInterruptedOnceAndGoesOn() throws Exception {
        List<BrokerEvent> heard = new CopyOnWriteArrayList<>();
        AtomicInteger interrupts = new AtomicInteger();
        begin(new Wanting(BrokerEvent.MemberLeft.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                if (heard.isEmpty()) {
                    heard.add(event);
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupts.incrementAndGet();
                    }
                    Thread.currentThread().interrupt(); // as is often advised
                } else {
                    interrupts.addAndGet(Thread.interrupted() ? 1 : 0);
                    heard.add(event);
                }
            }
        });
        events.onEvent(LEFT);
        events.onEvent(LEFT);

        Await.until("both", () -> heard.size() == 2);
        assertThat(interrupts).hasValue(1);
    }

    /** Clients choose how long topics are. */
    @Test
    void longEventsThatWaitAreBoundedByTheirBytes() throws Exception {
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        begin(new Wanting(BrokerEvent.PublishReceived.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                isIn.countDown();
                try {
                    done.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        BrokerEvent event =
                new BrokerEvent.PublishReceived(PluginStage.CLIENT, "t".repeat(65_000), Qos.AT_MOST_ONCE, false, 0);
        events.onEvent(event);
        assertThat(isIn.await(30, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < 200; i++) {
            events.onEvent(event);
        }

        assertThat(stage.meters.get("godwit.plugins.events.waiting").gauge().value())
                .isEqualTo(Math.ceil(EventListenerFactory.MAX_WAITING_BYTES / (2 * 65_000.0 + 132)));
        done.countDown();
    }

    @Test
    void whatWaitsAtTheCloseIsHandledBeforeItReturns() throws Exception {
        List<BrokerEvent> heard = new CopyOnWriteArrayList<>();
        CountDownLatch go = new CountDownLatch(1);
        begin(new Wanting(BrokerEvent.MemberLeft.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                try {
                    go.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                heard.add(event);
            }
        });
        for (int i = 0; i < 1_000; i++) {
            events.onEvent(LEFT);
        }
        go.countDown();
        events.close();

        assertThat(heard).hasSize(1_000);
        assertThat(dropped()).isZero();
    }

    @Test
    void whatIsNotHandledWithinTheTimeOfTheCloseCountsAsDropped() throws Exception {
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        begin(new Wanting(BrokerEvent.MemberLeft.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                isIn.countDown();
                while (never.getCount() > 0) {
                    Thread.onSpinWait(); // does not care about interrupts
                }
            }
        });
        for (int i = 0; i < 5; i++) {
            events.onEvent(LEFT);
        }
        assertThat(isIn.await(30, TimeUnit.SECONDS)).isTrue();
        events.close(); // at most half a second

        assertThat(dropped()).isEqualTo(4);
        assertThat(stage.meters.get("godwit.plugins.events.waiting").gauge().value())
                .isZero();
        never.countDown();
    }

    private double dropped() {
        return stage.meters
                .get("godwit.plugins.events.dropped")
                .tags("plugin", "acme")
                .functionCounter()
                .count();
    }

    @Test
    void noListenerIsToldOfItsOwnFaults() throws Exception {
        List<BrokerEvent> heard = new CopyOnWriteArrayList<>();
        begin(new Wanting(BrokerEvent.PluginFailed.class) {
            @Override
            public void onEvent(BrokerEvent event) {
                heard.add(event);
                throw new IllegalStateException("no");
            }
        });
        events.onEvent(new BrokerEvent.PluginFailed("acme", "event-listener", PluginFault.THREW, "x"));
        BrokerEvent ofOther = new BrokerEvent.PluginFailed("other", "auth-provider", PluginFault.THREW, "x");
        events.onEvent(ofOther);
        Await.until("it is heard", () -> !heard.isEmpty());
        events.close();

        assertThat(heard).containsExactly(ofOther);
    }

    @Test
    void oneThatIsNotMadeEndsTheStart() {
        assertThatThrownBy(() -> begin((EventListener) null)).hasMessageContaining("null instead of a listener");
    }
}
