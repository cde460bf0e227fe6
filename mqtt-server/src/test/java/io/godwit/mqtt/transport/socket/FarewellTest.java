package io.godwit.mqtt.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FarewellTest {
    private final HeldWrites writes = new HeldWrites();
    private final Socket channel = new Socket(writes);

    @AfterEach
    void finish() {
        channel.finishAndReleaseAll();
    }

    @Test
    void ourSideIsEndedOnceTheLastOutputHasGone() {
        channel.write(Unpooled.copyInt(1));
        Farewell.say(channel);
        assertThat(channel.isOutputShutdown).isFalse();
        writes.release();
        assertThat(channel.isOutputShutdown).isTrue();
        assertThat(channel.isOpen())
                .as("the channel stays open until the peer closes its side")
                .isTrue();
    }

    @Test
    void whoIsDoneIsNotWaitedForButTakesTheLastOutput() {
        channel.write(Unpooled.copyInt(1));
        Farewell.sayAgreed(channel);
        assertThat(channel.isOpen()).isTrue();
        writes.release();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.isOutputShutdown).isFalse();
        assertThat(channel.<ByteBuf>readOutbound()).isEqualTo(Unpooled.copyInt(1));
    }

    /** The socket's output buffer is full until {@link #release}. */
    private static final class HeldWrites extends ChannelOutboundHandlerAdapter {
        private final List<Runnable> held = new ArrayList<>();

        @Override
        public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
            held.add(() -> ctx.writeAndFlush(msg, promise));
        }

        void release() {
            List<Runnable> all = List.copyOf(held);
            held.clear();
            all.forEach(Runnable::run);
        }
    }

    /** A channel whose sides can be ended one by one, as those of sockets. */
    private static final class Socket extends EmbeddedChannel implements DuplexChannel {
        private boolean isOutputShutdown;

        Socket(HeldWrites writes) {
            super(writes);
        }

        @Override
        public boolean isInputShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdownInput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ChannelFuture shutdownInput(ChannelPromise promise) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOutputShutdown() {
            return isOutputShutdown;
        }

        @Override
        public ChannelFuture shutdownOutput() {
            return shutdownOutput(newPromise());
        }

        @Override
        public ChannelFuture shutdownOutput(ChannelPromise promise) {
            isOutputShutdown = true;
            return promise.setSuccess();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public ChannelFuture shutdown() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ChannelFuture shutdown(ChannelPromise promise) {
            throw new UnsupportedOperationException();
        }
    }
}
