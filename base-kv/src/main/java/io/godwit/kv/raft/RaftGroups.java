package io.godwit.kv.raft;

import com.alipay.sofa.jraft.StateMachine;
import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The Raft groups of a node, as used by ranges. Thread-safe. */
public interface RaftGroups {
    /**
     * Starts the replica of a group. Returns when its snapshot is loaded; later entries are applied afterwards.
     *
     * @param firstVoters store ids of the first voters of a group without any entry, the same on each of them; empty
     *     for a replica that will be added as a voter or learner. Ignored if the replica has a log
     * @throws DamagedDataException if its snapshot is damaged, or if log and snapshot do not fit together
     */
    RaftGroup start(String groupId, Path snapshotDirectory, StateMachine stateMachine, List<String> firstVoters)
            throws IOException;

    /**
     * Makes this replica stand for the first election of its group without waiting for an election timeout. Any thread.
     */
    void stand(RaftGroup group);

    /**
     * Makes this replica stand again as soon as it hears a majority, after its leadership has ended because it heard
     * none for an election timeout. The others may still follow it, and would all wait for another election timeout.
     * Any thread.
     */
    void standAgain(RaftGroup group);

    /**
     * Makes the replicas of this node stand for election, one voter after the other, in groups without a leader, for
     * example after all nodes were restarted. Any thread.
     */
    void standWhereNobodyLeads();
}
