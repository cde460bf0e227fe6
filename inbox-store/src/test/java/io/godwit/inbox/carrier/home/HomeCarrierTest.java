package io.godwit.inbox.carrier.home;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InsertOutcome;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.AttachmentPort;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxDelivery;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.Resend;
import io.godwit.kv.client.WaitReports;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.event.NodeWait;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs on the test's thread; the test plays the homes. */
class HomeCarrierTest {
    private static final long SMALL_STACK_BYTES = 512 << 10;

    private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private InboxHome leading = new Home(false);
    private final HomeCarrier carrier = new HomeCarrier(
            new Homes() {
                @Override
                public InboxHome of(InboxId inbox) {
                    return leading;
                }

                @Override
                public String inWords(InboxId inbox) {
                    return "a home that the test plays";
                }

                @Override
                public void refresh() {}
            },
            HomeSettings.DEFAULT,
            new WaitReports(EventListener.NONE, new SimpleMeterRegistry(), NodeWait.HOME),
            () -> 0,
            (millis, task) -> timers.add(task));

    private static final class Home implements InboxHome {
        /** Like a home after a failed message of the same publisher. */
        final boolean failsAtOnce;

        final List<Answer> asked = new ArrayList<>();
        final List<DeliveryStream> streams = new ArrayList<>();

        Home(boolean failsAtOnce) {
            this.failsAtOnce = failsAtOnce;
        }

        @Override
        public void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer) {
            asked.add(answer);
            streams.add(Objects.requireNonNull(deliveries, "only attaches come"));
        }

        @Override
        public void insert(InsertRequest request, long[] rounds, Answer answer) {
            if (failsAtOnce) {
                answer.fail(new RangeException(RangeException.Cause.OVERLOADED, "for the test"));
            } else {
                asked.add(answer);
            }
        }

        @Override
        public void dropped(InboxId inbox, String topic) {}

        @Override
        public boolean isWritable() {
            return true;
        }
    }

    private void insert(int number) {
        insert(number, "t", Qos.EXACTLY_ONCE, Resend.ALWAYS);
    }

    private void insert(int number, String topic, Qos qos, Resend publisher) {
        Message message = new Message(topic, new byte[] {1}, qos, false, 1_700_000_000_000L, MessageProperties.NONE);
        InsertRequest.Target target = new InsertRequest.Target(new ClientId("x"), 1, qos, false, new int[0]);
        carrier.insert(
                new InsertRequest(
                        TenantId.DEFAULT, message, List.of(target), "origin", number, 0, false, null, publisher),
                new Answer() {
                    @Override
                    public void reply(InboxReply reply) {
                        answers.add(number + " stored");
                    }

                    @Override
                    public void fail(RangeException cause) {
                        answers.add(number + " " + cause.reason());
                    }
                });
    }

    /** The stack of a broker's thread has 512 KiB. */
    @Test
    void howeverManyFailAtOnceTheStackDoesNotGrow() throws Exception {
        Home first = (Home) leading;
        insert(0);
        leading = new Home(true);
        for (int i = 1; i <= 5_000; i++) {
            insert(i); // waits for the answer of the previous home
        }
        assertThat(first.asked).hasSize(1);
        onSmallStack(
                () -> first.asked.get(0).fail(new RangeException(RangeException.Cause.TIMEOUT, "leadership ended")));
        assertThat(answers)
                .hasSize(5_001)
                .startsWith("0 TIMEOUT", "1 OVERLOADED")
                .endsWith("5000 OVERLOADED");
        assertThat(carrier.waitingBytes()).isZero();
        assertThat(carrier.flows()).isZero();
    }

    /**
     * A home without a majority waits for its log; one of its clients acknowledges an early copy, which is answered.
     * Earlier messages go to the next home, because they have other topics, publishers or QoS.
     */
    @Test
    void messagesOfOtherOrdersMayBeAnsweredBefore() {
        Resend ann = publisher();
        Resend bob = publisher();
        while ((System.identityHashCode(ann) - System.identityHashCode(bob) & 31) != 9) {
            bob = publisher(); // orders sometimes share slots
        }
        Home lost = (Home) leading;
        insert(0, "t", Qos.AT_LEAST_ONCE, ann);
        insert(1, "u", Qos.AT_LEAST_ONCE, bob);
        insert(2, "t", Qos.EXACTLY_ONCE, bob);
        insert(3, "t", Qos.AT_LEAST_ONCE, bob);
        lost.asked.get(3).reply(stored());
        Home next = new Home(false);
        leading = next;
        for (int i = 0; i < 3; i++) {
            lost.asked.get(i).fail(new RangeException(RangeException.Cause.LOST, "the link was lost"));
        }
        assertThat(answers).containsExactly("3 stored");
        assertThat(next.asked).hasSize(3);
        next.asked.forEach(asked -> asked.reply(stored()));
        assertThat(answers).containsExactly("3 stored", "0 stored", "1 stored", "2 stored");
        assertThat(carrier.flows()).isZero();
    }

    /** The publisher repeats it after the later one, which it knows to be stored. */
    @Test
    void aMessageDoesNotComeBehindALaterOneOfItsOrder() {
        Resend ann = publisher();
        Home lost = (Home) leading;
        insert(0, "t", Qos.AT_LEAST_ONCE, ann);
        insert(1, "t", Qos.AT_LEAST_ONCE, ann);
        lost.asked.get(1).reply(stored());
        leading = new Home(false);
        lost.asked.get(0).fail(new RangeException(RangeException.Cause.LOST, "the link was lost"));
        assertThat(answers).containsExactly("1 stored", "0 LOST");
    }

    private static Resend publisher() {
        return new Resend() {
            @Override
            public boolean isAbandoned() {
                return false;
            }
        };
    }

    private static InboxReply stored() {
        return new InboxReply.Inserted(List.of(InsertOutcome.STORED));
    }

    /**
     * A leader decides an attach and is deposed before the commit: it ends the attachment, then fails the command. The
     * connection gets the attachment of the next leader, and must not take the earlier end for the end of that one.
     */
    @Test
    void anAttachmentThatWasNeverAnsweredDoesNotEndTheNextOne() {
        List<InboxDelivery> heard = new ArrayList<>();
        Home deposed = (Home) leading;
        attach(heard);
        deposed.streams.get(0).next(InboxDelivery.ATTACHING);
        Home next = new Home(false);
        leading = next;
        deposed.streams.get(0).next(new InboxDelivery.Detached(InboxListener.Reason.LOST));
        deposed.asked.get(0).fail(new RangeException(RangeException.Cause.LOST, "leadership ended"));
        timers.remove().run();

        next.asked.get(0).reply(new InboxReply.Attached(true, 1, 2, List.of(), new int[0]));
        assertThat(answers).containsExactly("attached");
        assertThat(heard).containsExactly(InboxDelivery.ATTACHING);
        next.streams.get(0).next(new InboxDelivery.Detached(InboxListener.Reason.TAKEN_OVER));
        assertThat(heard)
                .as("the end of the attachment that it has")
                .endsWith(new InboxDelivery.Detached(InboxListener.Reason.TAKEN_OVER));
    }

    /** A connection that missed the end of its attachment would wait for answers of a leader that is gone. */
    @Test
    void anEndThatComesBeforeTheAnswerIsReportedAfterIt() {
        List<InboxDelivery> heard = new ArrayList<>();
        Home home = (Home) leading;
        attach(heard);
        home.streams.get(0).next(new InboxDelivery.Detached(InboxListener.Reason.LOST));
        assertThat(heard).isEmpty();

        home.asked.get(0).reply(new InboxReply.Attached(true, 1, 2, List.of(), new int[0]));
        assertThat(answers).containsExactly("attached");
        assertThat(heard).containsExactly(new InboxDelivery.Detached(InboxListener.Reason.LOST));
    }

    private void attach(List<InboxDelivery> heard) {
        ClientInfo client = new ClientInfo(TenantId.DEFAULT, new ClientId("c"), null, "127.0.0.1:1000", 5);
        carrier.ask(
                new SessionCommand.Attach(new AttachRequest(client, false, 60, null)),
                new DeliveryStream() {
                    @Override
                    public void opened(AttachmentPort port) {}

                    @Override
                    public void next(InboxDelivery delivery) {
                        heard.add(delivery);
                    }
                },
                new Answer() {
                    @Override
                    public void reply(InboxReply reply) {
                        answers.add("attached");
                    }

                    @Override
                    public void fail(RangeException cause) {
                        answers.add("refused " + cause.reason());
                    }
                });
    }

    private static void onSmallStack(Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        task.run();
                        done.complete(null);
                    } catch (RuntimeException | Error e) {
                        done.completeExceptionally(e);
                    }
                },
                "small stack",
                SMALL_STACK_BYTES);
        thread.start();
        done.get(20, TimeUnit.SECONDS);
    }
}
