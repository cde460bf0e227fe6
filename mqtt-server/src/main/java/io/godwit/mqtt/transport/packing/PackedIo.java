package io.godwit.mqtt.transport.packing;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of a {@link PackedLoop}: like Netty's, except that waking a guest wakes its host. */
final class PackedIo implements IoHandler {
    private static final Logger LOG = LoggerFactory.getLogger(PackedIo.class);

    private final IoHandler inner;
    private final @Nullable FileDescriptor descriptor;

    /** The sockets of the loop whose thread runs this one; null for its own thread. */
    private volatile @Nullable PackedIo host;

    PackedIo(IoHandler inner) {
        this.inner = inner;
        this.descriptor = inner instanceof EpollIoHandler epoll ? descriptorOf(epoll) : null;
    }

    /** Netty does not expose it. Without it loops stay on their own threads, which is slower but correct. */
    private static @Nullable FileDescriptor descriptorOf(EpollIoHandler epoll) {
        try {
            Field field = EpollIoHandler.class.getDeclaredField("epollFd");
            field.setAccessible(true);
            return (FileDescriptor) field.get(epoll);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn("event loops keep their own threads: this Netty does not tell its epoll descriptor", e);
            return null;
        }
    }

    IoHandler inner() {
        return inner;
    }

    /** A descriptor that another epoll can wait for; null when there is none. */
    @Nullable
    FileDescriptor descriptor() {
        return descriptor;
    }

    void passWakeUpsTo(@Nullable PackedIo newHost) {
        host = newHost;
    }

    /**
     * Any thread, after it has queued a task. If the host is just sending the loop home, this may wake the wrong
     * thread. That does no harm: the task is already queued, and the right thread checks for tasks before it waits.
     */
    @Override
    public void wakeup() {
        PackedIo runs = host;
        if (runs == null) {
            inner.wakeup();
        } else {
            runs.wakeup();
        }
    }

    @Override
    public void initialize() {
        inner.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return inner.run(context);
    }

    @Override
    public void prepareToDestroy() {
        inner.prepareToDestroy();
    }

    @Override
    public void destroy() {
        inner.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return inner.register(handle);
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return inner.isCompatible(type);
    }
}
