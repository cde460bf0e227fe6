package io.godwit.mqtt.transport.packing;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.unix.FileDescriptor;

/**
 * A guest's epoll descriptor, registered among the sockets of its host: readable when one of the guest's own sockets
 * has an event.
 *
 * @param ready tells the guest, on the host's thread
 */
record GuestDescriptor(FileDescriptor fd, Runnable ready) implements EpollIoHandle {
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        ready.run();
    }

    /** Does nothing: the guest owns the descriptor. */
    @Override
    public void close() {}
}
