package io.godwit.kv.raft;

import com.alipay.sofa.jraft.JRaftServiceFactory;
import com.alipay.sofa.jraft.entity.codec.LogEntryCodecFactory;
import com.alipay.sofa.jraft.option.NodeOptions;
import com.alipay.sofa.jraft.option.RaftOptions;
import com.alipay.sofa.jraft.storage.LogStorage;
import com.alipay.sofa.jraft.storage.RaftMetaStorage;
import com.alipay.sofa.jraft.storage.SnapshotStorage;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The storage of a node on a disk that a test makes slow for votes: {@code before} is run before each is written.
 *
 * @param disk the storage itself
 */
record SlowVotes(JRaftServiceFactory disk, Runnable before) implements JRaftServiceFactory {
    @Override
    public RaftMetaStorage createRaftMetaStorage(String uri, RaftOptions options) {
        RaftMetaStorage votes = disk.createRaftMetaStorage(uri, options);
        InvocationHandler slowly = (proxy, method, args) -> {
            if (method.getName().equals("setTermAndVotedFor")) {
                before.run();
            }
            return method.invoke(votes, args);
        };
        return (RaftMetaStorage) Proxy.newProxyInstance(
                RaftMetaStorage.class.getClassLoader(), new Class<?>[] {RaftMetaStorage.class}, slowly);
    }

    @Override
    public LogStorage createLogStorage(String uri, RaftOptions options) {
        return disk.createLogStorage(uri, options);
    }

    @Override
    public SnapshotStorage createSnapshotStorage(NodeOptions options) {
        return disk.createSnapshotStorage(options);
    }

    @Override
    public LogEntryCodecFactory createLogEntryCodecFactory() {
        return disk.createLogEntryCodecFactory();
    }
}
