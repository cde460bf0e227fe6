package io.godwit.inbox.queue;

import io.godwit.inbox.client.StoredSubscription;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.topic.TopicFilter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One life of a session. Owned by the range leader; the store holds what {@link SessionRecord}, {@link FilterTable} and
 * {@link OwedRetained} write of it.
 */
final class Session {
    final long incarnation;
    /** No message of it has a lower sequence. */
    final long first;

    ClientInfo client;
    /** 0 to 4,294,967,295, the last meaning never. */
    long expirySeconds;
    /** Whether it was ever to outlive its connection; not stored. */
    boolean isKept;
    /** Whether a connection holds it; in the store this may be left over from a process that died. */
    boolean attached;
    /** Of the attachment that holds it or held it last, in a cluster: it rises with each. 0 alone. */
    long attachNumber;
    /** Which CONNECT has made that attachment, see {@link io.godwit.inbox.client.AttachRequest}. 0 alone. */
    long attempt;
    /** Whether that CONNECT has begun the session. */
    boolean isOfAttempt;
    /** Wall clock milliseconds; the session and will delays run from here. Meaningless while attached. */
    long detachedAtMillis;
    /**
     * Whether an inbound QoS 2 message may stand undistributed; written at detach, so that a new leader need not look
     * everywhere.
     */
    boolean inboundOpen;
    /** Of the connection that holds it or held it last; gone once published or discarded. */
    @Nullable
    StoredWill will;
    /**
     * The batch that wrote what a connection relies on: that the session is there, its expiry, its user and its will.
     * Null when that was loaded.
     */
    @Nullable
    Batch termsIn;
    /** They say nothing of what is owed. */
    final Map<TopicFilter, StoredSubscription> filters = new LinkedHashMap<>();
    /** Changes of them that no batch has sealed yet; null for none. */
    @Nullable
    FilterWrite filterWrite;
    /** What they are owed; null for nothing. */
    @Nullable
    OwedRetained retained;

    Session(long incarnation, long first, ClientInfo client, long expirySeconds) {
        this.incarnation = incarnation;
        this.first = first;
        this.client = client;
        this.expirySeconds = expirySeconds;
        this.isKept = expirySeconds > 0;
    }
}
