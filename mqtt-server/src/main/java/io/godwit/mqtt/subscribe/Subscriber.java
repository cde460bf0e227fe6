package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.packet.Subscription;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.transport.Connection;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A session as SUBSCRIBE and UNSUBSCRIBE see it. Confined to its connection's event loop. */
public interface Subscriber {
    Connection connection();

    ClientInfo client();

    /** What the auth provider has granted the client at its login; null for nothing. */
    @Nullable
    Object grant();

    /** What its filters are called within. */
    ClientTopics topics();

    /** What holds for its tenant now. */
    TenantPolicy policy();

    /** What the clients of its tenant use together. */
    TenantAccount account();

    /** Whether it has, or is about to have, {@code filter}. */
    boolean has(TopicFilter filter);

    /** How many filters it has or is about to have. */
    int filterCount();

    /** How long they are together with {@code filter}; one with wildcards counts for more than its characters. */
    int filterCharsWith(TopicFilter filter);

    /** Whether the node has room for one more filter of this session, beside those of others. */
    boolean hasRoomFor(TopicFilter filter);

    /** How many patterns of wildcards and share groups its filters have together with {@code filter}. */
    int patternsWith(TopicFilter filter);

    /** It is about to have {@code filter}, which it may have already. */
    void noteAdded(TopicFilter filter);

    /** It is about to lose {@code filter}, or does not get it. */
    void noteRemoved(TopicFilter filter);

    /**
     * Whether the stores may have {@code filter}: when they do not, nothing needs to be asked of them. Says no only
     * where that is certain, so not while a step that concerns the filter is under way.
     */
    boolean mayExist(TopicFilter filter);

    /**
     * A step that adds or removes {@code filter} begins; {@link #stepOver} ends it. Steps of one filter may overlap.
     */
    void stepBegun(TopicFilter filter);

    /** @return whether no other step of this filter was under way at any time since it began */
    boolean stepOver(TopicFilter filter);

    /**
     * A SUBSCRIBE or UNSUBSCRIBE with so many filters has come, which {@link #answered} ends: too many of them, or of
     * their filters, pause reading.
     */
    void asked(int filters);

    /** SUBACK or UNSUBACK for so many filters has been sent. */
    void answered(int filters);

    /**
     * Runs {@code action} with the value of {@code checked}, which never fails, when that is complete and the actions
     * handed in before have run: SUBSCRIBE and UNSUBSCRIBE do not overtake each other while they are checked.
     */
    <T> void inOrder(CompletableFuture<T> checked, Consumer<T> action);

    /**
     * Adds or replaces subscriptions. Complete when SUBACK may be sent: every publish received from then on reaches
     * them. Yields for each filter whether it is new; fails as the stores do, see {@link
     * io.godwit.dist.client.DistOutcome#ofFailure}.
     *
     * @param subscriptionId 0 when absent
     */
    CompletableFuture<List<Boolean>> subscribe(List<Subscription> subscriptions, int subscriptionId);

    /** Removes them. Complete when UNSUBACK may be sent, with whether each existed; fails like {@link #subscribe}. */
    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters);

    /**
     * Asks for an exclusive filter; complete with whether the client may subscribe to it, in which case
     * {@link #releaseExclusive} is due afterwards.
     */
    CompletableFuture<Boolean> claimExclusive(TopicFilter filter);

    void releaseExclusive(TopicFilter filter);

    /** Called before {@link #subscribe}: from here on live messages count as newer than what {@code replay} finds. */
    void beginReplay(RetainedReplay replay);

    /**
     * Ends every {@link #beginReplay}, after SUBACK was sent; not called when the connection is closed instead.
     *
     * @param isWanted whether the retained messages shall be sent, or the replay is void
     */
    void replay(RetainedReplay replay, boolean isWanted);
}
