package io.godwit.broker.watch;

import io.godwit.plugin.event.BrokerEvent;

/** Selects events. Immutable. */
interface EventWatch {
    /** Whether events of this kind may match. */
    boolean wants(Class<? extends BrokerEvent> kind);

    boolean matches(BrokerEvent event);
}
