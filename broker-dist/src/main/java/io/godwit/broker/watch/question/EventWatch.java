package io.godwit.broker.watch.question;

import io.godwit.plugin.event.BrokerEvent;

/** Selects events. Immutable. */
public interface EventWatch {
    /** Whether events of this kind may match. */
    boolean wants(Class<? extends BrokerEvent> kind);

    boolean matches(BrokerEvent event);
}
