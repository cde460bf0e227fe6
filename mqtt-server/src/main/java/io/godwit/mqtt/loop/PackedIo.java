package io.godwit.mqtt.loop;

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

/** The sockets of a {@link PackedLoop}: all as Netty has it, but that who wakes a guest wakes its host. */
final class PackedIo implements IoHandler {
    private static final Logger LOG = LoggerFactory.getLogger(PackedIo.class);

    private final IoHandler inner;
    private final @Nullable FileDescriptor descriptor;

    /** Who runs the loop, null for its own thread. */
    private volatile @Nullable PackedLoop host;

    PackedIo(IoHandler inner) {
        this.inner = inner;
        this.descriptor = inner instanceof EpollIoHandler epoll ? descriptorOf(epoll) : null;
    }

    /** Netty does not hand it out. Without it loops stay on their own threads, which is slower and no worse. */
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

    /** What another epoll can wait for; null when there is none. */
    @Nullable
    FileDescriptor descriptor() {
        return descriptor;
    }

    @Nullable
    PackedLoop host() {
        return host;
    }

    void passWakeUpsTo(@Nullable PackedLoop newHost) {
        host = newHost;
    }

    /**
     * Any thread, after it has queued a task. One that reads a host which is just sending the loop home wakes the wrong
     * thread, which does no harm: the task was queued before, and the right one looks for tasks before it waits.
     */
    @Override
    public void wakeup() {
        PackedLoop runs = host;
        if (runs == null) {
            inner.wakeup();
        } else {
            runs.wakeForGuest();
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
