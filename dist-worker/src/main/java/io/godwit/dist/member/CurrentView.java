package io.godwit.dist.member;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest view of members that this node knows of; it never goes back. Apply threads of several ranges tell it, as
 * the record moves with its key from range to range, and a replica that lags behind may tell an older one: hence the
 * lock. Listeners are called outside it.
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
     * Whether there is a newer view than {@link #get} has, of a version that this node does not read: it cannot know
     * then whether it serves.
     */
    boolean isOutdated() {
        Known now = known;
        return now.unreadRevision() > now.view().revision();
    }

    /** A replica has this value of the record. Any thread. */
    public void stored(byte[] value) {
        MembersView view;
        try {
            view = MembersViewCodec.decode(value);
        } catch (IllegalArgumentException e) {
            LOG.error("view of members not read, nothing is acknowledged until there is another", e);
            long revision = ViewRecord.revision(value);
            synchronized (this) {
                known = new Known(known.view(), Math.max(known.unreadRevision(), revision));
            }
            listeners.forEach(Runnable::run);
            return;
        }
        offer(view);
    }

    /** A view that was committed. Any thread. */
    void offer(MembersView view) {
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

    /** From now on {@code listener} is run after each change, on any thread; it must only hand over. */
    void onChange(Runnable listener) {
        listeners.add(listener);
    }
}
