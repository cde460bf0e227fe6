package io.godwit.kv.raft.log;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.option.RaftMetaStorageOptions;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import org.jspecify.annotations.Nullable;

/**
 * Term and vote of one group, stored in the shared log before a setter returns. JRaft calls it under the node's write
 * lock; {@link GroupLog} has the current values.
 */
public final class SharedRaftMeta implements RaftMetaStorage {
    private final SharedRaftLog raftLog;
    private final GroupLog group;
    private final boolean sync;
    private @Nullable NodeImpl node; // null before init

    /** @param sync whether a call returns only when its change is on disk; false only to demonstrate losses */
    public SharedRaftMeta(SharedRaftLog raftLog, String groupId, boolean sync) {
        this.raftLog = raftLog;
        this.group = raftLog.group(groupId);
        this.sync = sync;
    }

    @Override
    public boolean init(RaftMetaStorageOptions options) {
        node = options.getNode();
        return true;
    }

    @Override
    public void shutdown() {
        // every change is on disk already, and the log belongs to the node
    }

    @Override
    public long getTerm() {
        return group.vote().term();
    }

    @Override
    public PeerId getVotedFor() {
        PeerId peer = new PeerId();
        String votedFor = group.vote().votedFor();
        if (!votedFor.isEmpty() && !peer.parse(votedFor)) {
            throw new IllegalStateException("group " + group.id() + ": vote for an unreadable peer " + votedFor);
        }
        return peer;
    }

    @Override
    public boolean setTerm(long term) {
        return save(new GroupLog.Vote(term, group.vote().votedFor()));
    }

    @Override
    public boolean setVotedFor(PeerId peer) {
        return save(new GroupLog.Vote(group.vote().term(), nameOf(peer)));
    }

    @Override
    public boolean setTermAndVotedFor(long term, PeerId peer) {
        return save(new GroupLog.Vote(term, nameOf(peer)));
    }

    private boolean save(GroupLog.Vote vote) {
        try {
            raftLog.writeVote(group, vote, sync);
            return true;
        } catch (RaftLogFaultException e) {
            if (node != null) {
                node.onError(new RaftException(
                        ErrorType.ERROR_TYPE_META, RaftError.EIO, "group %s: cannot store its vote", group.id()));
            }
            return false;
        }
    }

    private static String nameOf(PeerId peer) {
        return peer.isEmpty() ? "" : peer.toString();
    }
}
