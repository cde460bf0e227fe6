package io.godwit.cluster.link.pairing;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.LaneReceiver;
import io.godwit.cluster.link.connection.LinkLimits;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What all pairings of a node share.
 *
 * @param receivers by lane; complete before the first pairing, and not changed afterwards
 * @param pool runs the tasks of all lanes but CONTROL
 * @param control runs the tasks of the CONTROL lanes, one after the other
 */
public record PairingServices(
        LinkLimits limits, Map<Lane, LaneReceiver> receivers, Executor pool, Executor control, LongSupplier nanoClock) {
    /** Runs the receiver's task of a lane. */
    Executor receiving(Lane lane) {
        return lane == Lane.CONTROL ? control : pool;
    }
}
