package io.godwit.inbox.protocol;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import java.util.List;

/**
 * One element of the stream from a leader to an attachment. Immutable, except that the receiver owns the list of
 * messages.
 */
public sealed interface InboxDelivery {
    /** See {@link InboxListener#attaching}. */
    InboxDelivery ATTACHING = new Attaching();
    /** See {@link InboxListener#detaching}. */
    InboxDelivery DETACHING = new Detaching();

    /** Calls the method of the listener for this element. */
    void tell(InboxListener listener);

    /** See {@link #ATTACHING}. */
    record Attaching() implements InboxDelivery {
        @Override
        public void tell(InboxListener listener) {
            listener.attaching();
        }
    }

    /** See {@link #DETACHING}. */
    record Detaching() implements InboxDelivery {
        @Override
        public void tell(InboxListener listener) {
            listener.detaching();
        }
    }

    /** The next messages, in sequence order. */
    record Messages(List<InboxMessage> messages) implements InboxDelivery {
        @Override
        public void tell(InboxListener listener) {
            listener.deliver(messages);
        }
    }

    /** The attachment is over; nothing follows. */
    record Detached(InboxListener.Reason reason) implements InboxDelivery {
        @Override
        public void tell(InboxListener listener) {
            listener.detached(reason);
        }
    }
}
