package io.godwit.inbox.format;

import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/** One incarnation of a session as stored in its {@link SessionRecord}. Owned by the range leader. */
public class StoredSession {
    public final long incarnation;
    /** The lowest sequence that a message of this incarnation may have. */
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

    /** A copy of the same incarnation. */
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

    /** Whether the session was ever to outlive its connection; not stored. */
    public boolean isKept() {
        return isKept;
    }

    /** Whether a connection holds the session. A stored value may be left over from a process that died. */
    public boolean isAttached() {
        return isAttached;
    }

    /** Number of the present or last attachment; rises with each. 0 until an attachment is made in a cluster. */
    public long attachNumber() {
        return attachNumber;
    }

    /**
     * Number of the next attachment. Once a session has a number it keeps counting, also when its node is alone: its
     * routes carry the number, and the numbers of two attachments must differ.
     */
    public long nextAttachNumber(boolean isClustered) {
        return isClustered || attachNumber > 0 ? attachNumber + 1 : 0;
    }

    /** Counts an attachment without a connection. */
    public void countAttachment(boolean isClustered) {
        attachNumber = nextAttachNumber(isClustered);
    }

    /**
     * The CONNECT that made that attachment, see {@link io.godwit.inbox.client.AttachRequest}; 0 on a node that is
     * alone.
     */
    public long attempt() {
        return attempt;
    }

    /** Whether that CONNECT began the session. */
    public boolean isOfAttempt() {
        return isOfAttempt;
    }

    /** Wall clock milliseconds from which session expiry and will delay run. Meaningless while attached. */
    public long detachedAtMillis() {
        return detachedAtMillis;
    }

    /**
     * Whether an inbound QoS 2 message may be undistributed. Written at detach, so that a new leader need not search
     * every inbox.
     */
    public boolean isInboundOpen() {
        return isInboundOpen;
    }

    /** The will of the present or last connection; null once published or discarded. */
    public @Nullable StoredWill will() {
        return will;
    }

    /** A connection attaches, with its own expiry. */
    public void attach(ClientInfo by, long expiresAfterSeconds, long number, long byAttempt, boolean isBegunByAttempt) {
        client = by;
        setExpirySeconds(expiresAfterSeconds);
        isKept |= expiresAfterSeconds > 0;
        isAttached = true;
        attachNumber = number;
        attempt = byAttempt;
        isOfAttempt = isBegunByAttempt;
    }

    /** The connection has ended. */
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

    /** Sets the fields read from a record. */
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
