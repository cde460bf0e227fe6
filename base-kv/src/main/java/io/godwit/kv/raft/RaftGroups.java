package io.godwit.kv.raft;

import com.alipay.sofa.jraft.StateMachine;
import io.godwit.kv.disk.DamagedDataException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The Raft groups of a node, as ranges need them. Thread-safe. */
public interface RaftGroups {
    /**
     * Starts the replica of a group. Returns when its snapshot is loaded; entries behind it are applied afterwards.
     *
     * @param firstVoters store ids of the voters of a group that has never had an entry, the same on each of them;
     *     empty for a replica that is going to be made a voter or learner. Whoever has a log goes by that
     * @throws DamagedDataException if its snapshot is damaged, or log and snapshot do not fit together
     */
    RaftGroup start(String groupId, Path snapshotDirectory, StateMachine stateMachine, List<String> firstVoters)
            throws IOException;

    /**
     * Has this replica stand for the first election of its group, rather than wait for an election timeout. Any thread.
     */
    void stand(RaftGroup group);

    /**
     * Has this replica, whose leadership has ended because it heard no majority for an election timeout, stand again as
     * soon as it hears one. The others may follow it still, so all of them would wait for another election timeout. Any
     * thread.
     */
    void standAgain(RaftGroup group);

    /**
     * Has the replicas of this node stand for election, one voter after the other, in groups where nobody has led for
     * as long as this node has looked: as when all nodes were started again. Any thread.
     */
    void standWhereNobodyLeads();
}
