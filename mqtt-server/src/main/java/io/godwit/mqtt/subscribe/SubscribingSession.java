package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.packet.field.Subscription;
import io.godwit.mqtt.quota.TenantAccount;
import io.godwit.mqtt.tenant.TenantPolicy;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.mqtt.transport.connection.Connection;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A session as seen by SUBSCRIBE and UNSUBSCRIBE. Confined to its connection's event loop. */
public interface SubscribingSession {
    Connection connection();

    ClientInfo client();

    /** The auth provider's grant at the client's login; null for none. */
    @Nullable
    Object grant();

    /** Maps its filters to the broker's form. */
    ClientTopics topics();

    /** The present settings of its tenant. */
    TenantPolicy policy();

    /** The shared usage of its tenant's clients. */
    TenantAccount account();

    /** Whether it has {@code filter}, or is about to have it. */
    boolean has(TopicFilter filter);

    /** Number of filters it has or is about to have. */
    int filterCount();

    /**
     * Total length of its filters including {@code filter}; a filter with wildcards counts for more than its
     * characters.
     */
    int filterCharsWith(TopicFilter filter);

    /** Whether the node's budget allows one more filter for this session. */
    boolean hasRoomFor(TopicFilter filter);

    /** Number of patterns of wildcards and share groups of its filters including {@code filter}. */
    int patternsWith(TopicFilter filter);

    /** It is about to have {@code filter}, or has it already. */
    void noteAdded(TopicFilter filter);

    /** It is about to lose {@code filter}, or does not get it. */
    void noteRemoved(TopicFilter filter);

    /**
     * Whether the stores may have {@code filter}: if not, they need not be asked. False only if that is certain, so not
     * while a step of the filter is under way.
     */
    boolean mayExist(TopicFilter filter);

    /**
     * A step that adds or removes {@code filter} begins; {@link #stepOver} ends it. Steps of one filter may overlap.
     */
    void stepBegun(TopicFilter filter);

    /** @return whether no other step of this filter overlapped with it */
    boolean stepOver(TopicFilter filter);

    /**
     * A SUBSCRIBE or UNSUBSCRIBE with this weight of filters has arrived; {@link #answered} ends it. Reading pauses
     * when there are too many requests or filters.
     */
    void asked(int filters);

    /** SUBACK or UNSUBACK for this weight of filters has been sent. */
    void answered(int filters);

    /**
     * Runs {@code action} with the value of {@code checked}, which never fails, when it is complete and all earlier
     * actions have run: so SUBSCRIBE and UNSUBSCRIBE do not overtake each other during their checks.
     */
    <T> void inOrder(CompletableFuture<T> checked, Consumer<T> action);

    /**
     * Adds or replaces subscriptions. Complete when SUBACK may be sent: every publish received from then on reaches
     * them. Yields for each filter whether it is new; fails like the stores, see
     * {@link io.godwit.dist.client.DistOutcome#ofFailure}.
     *
     * @param subscriptionId 0 when absent
     */
    CompletableFuture<List<Boolean>> subscribe(List<Subscription> subscriptions, int subscriptionId);

    /**
     * Removes subscriptions. Complete when UNSUBACK may be sent, with whether each existed; fails like
     * {@link #subscribe}.
     */
    CompletableFuture<List<Boolean>> unsubscribe(List<TopicFilter> filters);

    /**
     * Claims an exclusive filter; yields whether the client may subscribe to it, and then {@link #releaseExclusive}
     * must follow.
     */
    CompletableFuture<Boolean> claimExclusive(TopicFilter filter);

    void releaseExclusive(TopicFilter filter);

    /**
     * Called before {@link #subscribe}: from here on live messages count as newer than the messages that {@code replay}
     * finds.
     */
    void beginReplay(RetainedReplay replay);

    /**
     * Ends every {@link #beginReplay}, after SUBACK was sent; not called when the connection closes instead.
     *
     * @param isWanted whether to send the retained messages; false drops the replay
     */
    void replay(RetainedReplay replay, boolean isWanted);
}
