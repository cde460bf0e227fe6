package io.godwit.inbox.format;

import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/** One life of a session as its {@link SessionRecord} has it. Owned by the range leader. */
public class StoredSession {
    public final long incarnation;
    /** No message of it has a lower sequence. */
    public final long first;

    private ClientInfo client;
    private long expirySeconds;
    private boolean isKept;
    private boolean isAttached;
    private long attachNumber;
    private long attempt;
    private boolean isOfAttempt;
    private long detachedAtMillis;
    private boolean isInboundOpen;
    private @Nullable StoredWill will;

    public StoredSession(long incarnation, long first, ClientInfo client, long expirySeconds) {
        this.incarnation = incarnation;
        this.first = first;
        this.client = client;
        this.expirySeconds = expirySeconds;
        this.isKept = expirySeconds > 0;
    }

    /** The same life, as another object. */
    public StoredSession(StoredSession other) {
        this.incarnation = other.incarnation;
        this.first = other.first;
        this.client = other.client;
        this.expirySeconds = other.expirySeconds;
        this.isKept = other.isKept;
        this.isAttached = other.isAttached;
        this.attachNumber = other.attachNumber;
        this.attempt = other.attempt;
        this.isOfAttempt = other.isOfAttempt;
        this.detachedAtMillis = other.detachedAtMillis;
        this.isInboundOpen = other.isInboundOpen;
        this.will = other.will;
    }

    public ClientInfo client() {
        return client;
    }

    /** 0 to 4,294,967,295, the last meaning never. */
    public long expirySeconds() {
        return expirySeconds;
    }

    /** Whether it was ever to outlive its connection; not stored. */
    public boolean isKept() {
        return isKept;
    }

    /** Whether a connection holds it; in the store this may be left over from a process that died. */
    public boolean isAttached() {
        return isAttached;
    }

    /** Of the attachment that holds it or held it last: it rises with each. 0 until one is made in a cluster. */
    public long attachNumber() {
        return attachNumber;
    }

    /**
     * Of the attachment to come. A session that has a number counts on also when its node is alone by then: its routes
     * have the number, and those of two attachments must differ.
     */
    public long nextAttachNumber(boolean isClustered) {
        return isClustered || attachNumber > 0 ? attachNumber + 1 : 0;
    }

    /** As if a connection had had it for a moment. */
    public void countAttachment(boolean isClustered) {
        attachNumber = nextAttachNumber(isClustered);
    }

    /** Which CONNECT has made that attachment, see {@link io.godwit.inbox.client.AttachRequest}. 0 alone. */
    public long attempt() {
        return attempt;
    }

    /** Whether that CONNECT has begun the session. */
    public boolean isOfAttempt() {
        return isOfAttempt;
    }

    /** Wall clock milliseconds; the session and will delays run from here. Meaningless while attached. */
    public long detachedAtMillis() {
        return detachedAtMillis;
    }

    /**
     * Whether an inbound QoS 2 message may stand undistributed; written at detach, so that a new leader need not look
     * everywhere.
     */
    public boolean isInboundOpen() {
        return isInboundOpen;
    }

    /** Of the connection that holds it or held it last; gone once published or discarded. */
    public @Nullable StoredWill will() {
        return will;
    }

    /** A connection gets it, on terms of its own. */
    public void attach(ClientInfo by, long expiresAfterSeconds, long number, long byAttempt, boolean isBegunByAttempt) {
        client = by;
        setExpirySeconds(expiresAfterSeconds);
        isKept |= expiresAfterSeconds > 0;
        isAttached = true;
        attachNumber = number;
        attempt = byAttempt;
        isOfAttempt = isBegunByAttempt;
    }

    /** Its connection is gone. */
    public void detach(long nowMillis, boolean mayHaveUndistributed) {
        isAttached = false;
        detachedAtMillis = nowMillis;
        isInboundOpen = mayHaveUndistributed;
    }

    public void setExpirySeconds(long seconds) {
        expirySeconds = seconds;
    }

    public void setWill(@Nullable StoredWill left) {
        will = left;
    }

    /** Out of a record. */
    public void restore(
            boolean attached,
            long leftAtMillis,
            boolean mayHaveUndistributed,
            long number,
            long byAttempt,
            boolean isBegunByAttempt) {
        isAttached = attached;
        detachedAtMillis = leftAtMillis;
        isInboundOpen = mayHaveUndistributed;
        attachNumber = number;
        attempt = byAttempt;
        isOfAttempt = isBegunByAttempt;
    }
}
