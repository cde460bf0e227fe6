package io.godwit.broker.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.DistClient;
import io.godwit.dist.client.DistOutcome;
import io.godwit.dist.client.Publisher;
import io.godwit.inbox.InboxConfig;
import io.godwit.inbox.InboxOutlets;
import io.godwit.inbox.InboxStore;
import io.godwit.inbox.WillPublisher;
import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.client.InboxAttachment.Inbound;
import io.godwit.inbox.client.InboxClient;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import io.godwit.inbox.client.OriginDigest;
import io.godwit.kv.client.RequestOrder;
import io.godwit.kv.client.Resend;
import io.godwit.kv.testing.InMemoryRangeHost;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.event.EventListener;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * QoS 2 messages for later on the real inbox store. Each was kept, but the process died before that was on record at
 * its publisher's session, so it is published to its {@code $delayed} topic once more.
 */
class DelayedOnceTest {
    private static final ClientInfo DEVICE =
            new ClientInfo(TenantId.DEFAULT, new ClientId("device"), null, "127.0.0.1:1", 5);

    private InboxStore store = store();
    private final InMemoryRangeHost host =
            new InMemoryRangeHost(() -> store.coprocessorFactory().get());
    private final DelayedMessages delayed = new DelayedMessages(
            this::client, new DelayedRoom(() -> store.countedRecords(), tenant -> store.countedRecords(tenant), 100));
    private final StorePublisher outlet = new StorePublisher(this::dist, () -> null, delayed, true);
    private final List<String> published = new ArrayList<>();
    /** Whether messages for later are taken: what the store publishes again has to wait otherwise. */
    private boolean takes = true;

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void whatTheStorePublishesAgainAfterTheDelayIsNotPublishedTwice() {
        keepAndCrash();
        takes = false;
        restart();
        host.advanceMillis(1000);
        assertThat(published).containsExactly("later");
        takes = true;
        host.advanceMillis(600_000);
        assertThat(published).containsExactly("later");
        assertThat(store.countedRecords()).isZero();
    }

    @Test
    void whatTheClientPublishesAgainAfterTheDelayIsNotPublishedTwice() {
        int packetId = keepAndCrash();
        takes = false;
        restart();
        AttachReply back = attach();
        takes = true;
        host.advanceMillis(2000);
        assertThat(published).containsExactly("later");
        Inbound again = host.await(back.attachment().receive(packetId, message()));
        assertThat(again.isDistributed()).isTrue();
        assertThat(host.await(back.attachment().release(packetId))).isTrue();
    }

    /** The repeat was on its way when the keeper had its publishing put on record. */
    @Test
    void aRepeatThatIsLateFindsTheKeeper() {
        AttachReply reply = attach();
        Inbound stored = host.await(reply.attachment().receive(1, message()));
        DeliveryToken token = new DeliveryToken(stored.tokenOrigin(), stored.tokenNumber(), 0);
        assertThat(host.await(delayed.take(DEVICE, message(), token))).isEqualTo(DistOutcome.DELIVERED);
        host.advanceMillis(1000 * (1 + DelayedMessages.REMEMBER_SECONDS) - 1);
        assertThat(published).containsExactly("later");
        assertThat(host.await(delayed.take(DEVICE, message(), token))).isEqualTo(DistOutcome.DELIVERED);
        host.advanceMillis(600_000);
        assertThat(published).containsExactly("later");
        assertThat(store.countedRecords()).isZero();
    }

    @Test
    void aRepeatDoesNotBeginTheDelayAnew() {
        AttachReply reply = attach();
        Inbound stored = host.await(reply.attachment().receive(1, message()));
        DeliveryToken token = new DeliveryToken(stored.tokenOrigin(), stored.tokenNumber(), 0);
        host.await(delayed.take(DEVICE, message(), token));
        host.advanceMillis(900);
        host.await(delayed.take(DEVICE, message(), token));
        host.advanceMillis(99);
        assertThat(published).isEmpty();
        host.advanceMillis(1);
        assertThat(published).containsExactly("later");
    }

    /**
     * The mark is for the session that the message came by; what another one has under the same number is not touched.
     */
    @Test
    void theMessageOfAnotherSessionIsNotMarked() {
        AttachReply reply = attach();
        Inbound stored = host.await(reply.attachment().receive(1, message()));
        host.await(client().distributed(TenantId.DEFAULT, DEVICE.clientId(), stored.tokenNumber(), "another"));
        host.await(client().distributed(
                        TenantId.DEFAULT,
                        DEVICE.clientId(),
                        stored.tokenNumber() + 1,
                        OriginDigest.of(stored.tokenOrigin())));
        assertThat(host.await(reply.attachment().receive(1, message())).isDistributed())
                .isFalse();
        host.await(client().distributed(
                        TenantId.DEFAULT,
                        DEVICE.clientId(),
                        stored.tokenNumber(),
                        OriginDigest.of(stored.tokenOrigin())));
        assertThat(host.await(reply.attachment().receive(1, message())).isDistributed())
                .isTrue();
    }

    @Test
    void aFullDiskRefusesWhatIsNotOnRecordYet() {
        DeliveryToken token = new DeliveryToken("o", 7, 0);
        host.refuseAdditions();
        assertThat(host.await(delayed.take(DEVICE, message(), null))).isEqualTo(DistOutcome.OVERLOADED);
        assertThat(host.await(delayed.take(DEVICE, message(), token))).isEqualTo(DistOutcome.DELIVERED);
    }

    private int keepAndCrash() {
        AttachReply reply = attach();
        int packetId = 1;
        Inbound stored = host.await(reply.attachment().receive(packetId, message()));
        DeliveryToken token = new DeliveryToken(stored.tokenOrigin(), stored.tokenNumber(), 0);
        assertThat(host.await(delayed.take(DEVICE, message(), token))).isEqualTo(DistOutcome.DELIVERED);
        return packetId;
    }

    private void restart() {
        store = store();
        host.crashAndRestart();
        host.runUntilIdle();
    }

    private AttachReply attach() {
        return host.await(
                client().attach(new AttachRequest(DEVICE, false, AttachRequest.NEVER, null), new InboxListener() {
                    @Override
                    public void deliver(List<InboxMessage> messages) {
                        throw new AssertionError("nothing is subscribed to");
                    }

                    @Override
                    public void detached(Reason reason) {
                        // the process dies
                    }
                }));
    }

    private static Message message() {
        return new Message("$delayed/1/t", "later".getBytes(UTF_8), Qos.EXACTLY_ONCE, false, 0, MessageProperties.NONE);
    }

    private InboxClient client() {
        return store.client(host);
    }

    private InboxStore store() {
        return new InboxStore(
                InboxConfig.DEFAULT,
                new InboxOutlets(
                        new WillPublisher() { // the outlet is built after the store
                            @Override
                            public CompletableFuture<Boolean> publish(
                                    ClientInfo publisher,
                                    Message message,
                                    String tokenOrigin,
                                    long tokenNumber,
                                    long tokenFinishedBelow,
                                    long decidedAtMillis,
                                    @Nullable RequestOrder order,
                                    Resend resend) {
                                return outlet.publish(
                                        publisher,
                                        message,
                                        tokenOrigin,
                                        tokenNumber,
                                        tokenFinishedBelow,
                                        decidedAtMillis,
                                        order,
                                        resend);
                            }

                            @Override
                            public void finished(
                                    TenantId tenant, @Nullable Message message, String tokenOrigin, long tokenNumber) {
                                outlet.finished(tenant, message, tokenOrigin, tokenNumber);
                            }
                        },
                        (tenant, clientId, incarnation, filters) -> CompletableFuture.completedFuture(true),
                        (from, group, message, token, resend) -> {
                            throw new AssertionError("nothing is shared");
                        }),
                DelayedMessages::isKeeper,
                false,
                EventListener.NONE,
                new SimpleMeterRegistry());
    }

    /** As {@link DistClient} does it. */
    private DistClient dist() {
        return (DistClient) Proxy.newProxyInstance(
                DistClient.class.getClassLoader(), new Class<?>[] {DistClient.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("finished")) {
                        return null;
                    }
                    assertThat(method.getName()).isEqualTo("publisher");
                    return (Publisher) (message, token) -> {
                        CompletableFuture<DistOutcome> kept =
                                takes ? delayed.take((ClientInfo) arguments[0], message, token) : null;
                        if (kept != null) {
                            return kept;
                        }
                        if (message.topic().startsWith("$")) {
                            return CompletableFuture.completedFuture(DistOutcome.FAILED);
                        }
                        published.add(new String(message.payload(), UTF_8));
                        return CompletableFuture.completedFuture(DistOutcome.DELIVERED);
                    };
                });
    }
}
