package io.godwit.mqtt.session;

import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import java.util.List;

/** For an attachment whose messages and end do not matter. */
public final class NoListener implements InboxListener {
    @Override
    public void deliver(List<InboxMessage> messages) {}

    @Override
    public void detached(Reason reason) {}
}
