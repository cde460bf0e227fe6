package io.godwit.dist.member.view;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest view of members that this node knows; it never goes back. The lock: apply threads of several ranges update
 * it, because the record moves with its key from range to range, and a lagging replica may bring an older view.
 * Listeners are called outside the lock.
 */
public final class CurrentView {
    private static final Logger LOG = LoggerFactory.getLogger(CurrentView.class);

    /** @param unreadRevision the newest revision that this node could not read; 0 for none */
    private record Known(MembersView view, long unreadRevision) {}

    private volatile Known known = new Known(MembersView.NONE, 0);
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public MembersView get() {
        return known.view();
    }

    /**
     * Whether there is a newer view than {@link #get} in a version that this node cannot read. It then cannot know
     * whether it serves.
     */
    public boolean isOutdated() {
        Known now = known;
        return now.unreadRevision() > now.view().revision();
    }

    /** A replica has this value of the record. Any thread. */
    public void stored(byte[] value) {
        MembersView view;
        try {
            view = MembersViewCodec.decode(value);
        } catch (IllegalArgumentException e) {
            LOG.error("view of members not readable, this node acknowledges nothing until the next one", e);
            long revision = MembersViewCodec.revision(value);
            synchronized (this) {
                known = new Known(known.view(), Math.max(known.unreadRevision(), revision));
            }
            listeners.forEach(Runnable::run);
            return;
        }
        offer(view);
    }

    /** A view was committed. Any thread. */
    public void offer(MembersView view) {
        boolean isNewer;
        synchronized (this) {
            isNewer = view.revision() > known.view().revision();
            if (isNewer) {
                known = new Known(view, known.unreadRevision());
            }
        }
        if (isNewer) {
            listeners.forEach(Runnable::run);
        }
    }

    /** Runs {@code listener} after each later change, on any thread; it must only hand over. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }
}
