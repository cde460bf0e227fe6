package io.godwit.broker.watch;

import io.godwit.plugin.event.BrokerEvent;

/** Which events somebody wants to be told of. Immutable. */
interface EventWatch {
    /** Whether any event of this kind may be wanted. */
    boolean wants(Class<? extends BrokerEvent> kind);

    boolean matches(BrokerEvent event);
}
