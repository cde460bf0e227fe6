package io.godwit.mqtt.transport.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(60)
class PackedLoopTest {
    private final List<PackedLoop> loops = new ArrayList<>();
    private PackedLoopGroup group;

    /** The index of the loop that the thread was last bound to. */
    private final ThreadLocal<Integer> served = new ThreadLocal<>();

    private final ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Epoll.isAvailable(), "epoll, which is Linux's");
        group = new PackedLoopGroup(3, new DefaultThreadFactory("packed"), EpollIoHandler.newFactory());
        for (EventExecutor loop : group) {
            int index = loops.size();
            loops.add((PackedLoop) loop);
            group.onServed(index, () -> served.set(index));
            threadOf(index); // it runs
        }
    }

    @AfterEach
    void stop() {
        if (group != null) {
            assertThat(group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS))
                    .as("ended")
                    .isTrue();
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void epollTellsItsDescriptor() {
        assertThat(loops).allMatch(PackedLoop::canMove);
    }

    /** As with a Netty that does not tell its epoll descriptor. Idle loops are joined after half a second. */
    @Test
    void loopsWithoutADescriptorKeepTheirThreads() {
        PackedLoopGroup fixed = new PackedLoopGroup(3, new DefaultThreadFactory("fixed"), NioIoHandler.newFactory());
        try {
            fixed.startPacking();
            fixed.forEach(loop -> loop.submit(() -> {}).awaitUninterruptibly(5, TimeUnit.SECONDS));
            Await.holds("three threads run", Duration.ofSeconds(2), () -> fixed.activeThreads() == 3);
        } finally {
            fixed.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void aGuestIsServedByItsHostAndKnowsIt() throws Exception {
        move(1, 0);
        Thread host = threadOf(0);
        assertThat(threadOf(1)).isSameAs(host);
        assertThat(loops.get(1).submit(() -> loops.get(1).inEventLoop()).get()).isTrue();
        assertThat(group.activeThreads()).isEqualTo(2);
        goHome(1);
        assertThat(threadOf(1)).isNotSameAs(host);
        assertThat(loops.get(1).inEventLoop(host)).isFalse();
    }

    @Test
    void loopsOfOneThreadAreNotInEachOther() throws Exception {
        move(1, 0);
        PackedLoop host = loops.get(0);
        PackedLoop guest = loops.get(1);
        assertThat(host.submit(() -> host.inEventLoop() && !guest.inEventLoop()).get(5, TimeUnit.SECONDS))
                .isTrue();
        assertThat(guest.submit(() -> guest.inEventLoop() && !host.inEventLoop())
                        .get(5, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void anErrorSendsTheLoopsHomeForAMinuteAndNotForEver() throws Exception {
        move(1, 0);
        AtomicInteger asked = new AtomicInteger();
        Runnable looks = group.looks(() -> load -> {
            if (asked.incrementAndGet() == 1) {
                throw new StackOverflowError();
            }
            return List.of();
        });
        looks.run();
        Await.until("no guest", () -> !loops.get(1).isGuest());
        for (int i = 0; i < LoopPacking.REST_LOOKS; i++) {
            looks.run();
        }
        assertThat(asked).hasValue(1);
        looks.run();
        assertThat(asked).hasValue(2);
    }

    @Test
    void timersOfAGuestFire() throws Exception {
        CountDownLatch before = new CountDownLatch(1);
        loops.get(1).schedule(before::countDown, 300, TimeUnit.MILLISECONDS);
        move(1, 0);
        CountDownLatch within = new CountDownLatch(1);
        loops.get(1).schedule(within::countDown, 50, TimeUnit.MILLISECONDS);
        assertThat(within.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(before.await(5, TimeUnit.SECONDS)).isTrue();
    }

    /** Tasks that bring each other along, as mail between loops does: Netty looks at its channels after a second. */
    @Test
    void channelsAreServedWhileTasksNeverEnd() throws Exception {
        Channel server = echoServer();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger tasks = new AtomicInteger();
        for (PackedLoop loop : loops) {
            loop.execute(new Runnable() {
                @Override
                public void run() {
                    tasks.incrementAndGet();
                    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    if (!isOver.get()) {
                        loop.execute(this);
                    }
                }
            });
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            for (int i = 0; i < 10; i++) {
                int before = tasks.get();
                socket.getOutputStream().write(i);
                assertThat(socket.getInputStream().read()).isEqualTo(i);
                // of a millisecond each, on three loops
                assertThat(tasks.get() - before)
                        .as("tasks before byte %d came back", i)
                        .isLessThan(300);
            }
        } finally {
            isOver.set(true);
        }
    }

    @Test
    void theGroupEndsWhileOneLoopIsGuestOfAnother() throws Exception {
        move(2, 1);
        loops.get(1).moveTo(loops.get(0)); // has a guest: stays
        awaitARound(1);
        assertThat(loops.get(1).isGuest()).isFalse();
        // the end itself is stop()'s
    }

    @Test
    void aLoopThatIsSentHomeBeforeItHasLeftStays() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        loops.get(1).execute(() -> {
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        loops.get(1).moveTo(loops.get(0));
        loops.get(1).sendHome();
        go.countDown();
        awaitARound(1);
        assertThat(loops.get(1).isGuest()).isFalse();
    }

    @Test
    void aGuestOfALoopThatEndsGoesHome() throws Exception {
        move(1, 0);
        loops.get(0).shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(10, TimeUnit.SECONDS);
        assertThat(threadOf(1)).isNotNull();
        assertThat(loops.get(1).isGuest()).isFalse();
        loops.get(1).moveTo(loops.get(0)); // too late
        assertThat(threadOf(1)).isNotNull();
    }

    /**
     * Loops go to and fro at random for seconds, while other threads give them tasks, loops give each other tasks, and
     * sockets on each are spoken to. Every answer comes within a second, so that no wake-up is lost; tasks run in
     * order, one at a time, under the right name.
     */
    @Test
    void nothingIsLostOrTwiceOrOutOfOrderWhileLoopsMove() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger rounds = new AtomicInteger();
        Channel server = echoServer();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        for (int i = 0; i < 6; i++) {
            threads.add(run("echo", isOver, () -> echo(port, isOver, rounds)));
        }
        for (int i = 0; i < loops.size(); i++) {
            int loop = i;
            threads.add(run("tasks", isOver, () -> tasks(loop, isOver, rounds)));
        }
        Random random = new Random(7);
        int moves = 0;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(6);
        while (System.nanoTime() < end) {
            int loop = 1 + random.nextInt(2);
            PackedLoop mover = loops.get(loop);
            if (mover.isGuest()) {
                mover.sendHome();
            } else {
                int host = random.nextBoolean() ? 0 : 3 - loop;
                mover.moveTo(loops.get(host));
            }
            moves++;
            Pace.passNanos(random.nextInt(2_000_000));
        }
        isOver.set(true);
        for (Thread thread : threads) {
            thread.join(5_000);
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
        assertThat(wrong).isEmpty();
        assertThat(moves).isGreaterThan(500);
        assertThat(rounds.get()).isGreaterThan(1_000);
    }

    private Thread run(String name, AtomicBoolean isOver, Body body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (Exception e) {
                        wrong.add(name + " " + e);
                        isOver.set(true);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** A task each to a loop, from outside and by way of another loop, in turn; each is awaited for a second. */
    private void tasks(int loop, AtomicBoolean isOver, AtomicInteger rounds) throws InterruptedException {
        AtomicInteger expected = new AtomicInteger();
        AtomicInteger within = new AtomicInteger();
        PackedLoop target = loops.get(loop);
        PackedLoop over = loops.get((loop + 1) % loops.size());
        for (int number = 0; !isOver.get(); number += 3) {
            CountDownLatch done = new CountDownLatch(3);
            int first = number;
            over.execute(() -> {
                for (int i = 0; i < 3; i++) {
                    int mine = first + i;
                    target.execute(() -> {
                        if (within.getAndIncrement() != 0 || !expected.compareAndSet(mine, mine + 1)) {
                            wrong.add("task " + mine + " beside or before another");
                        }
                        if (!target.inEventLoop() || served.get() != loop) {
                            wrong.add("task of " + loop + " run as " + served.get());
                        }
                        within.decrementAndGet();
                        done.countDown();
                    });
                }
            });
            if (!done.await(1, TimeUnit.SECONDS) && !done.await(4, TimeUnit.SECONDS)) {
                wrong.add("a task was left lying on loop " + loop);
                isOver.set(true);
            }
            rounds.incrementAndGet();
        }
    }

    private void echo(int port, AtomicBoolean isOver, AtomicInteger rounds) throws IOException {
        while (!isOver.get()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setSoTimeout(5_000);
                socket.setTcpNoDelay(true);
                for (int i = 0; i < 50 && !isOver.get(); i++) {
                    socket.getOutputStream().write(i);
                    if (socket.getInputStream().read() != i) {
                        wrong.add("another answer");
                    }
                    rounds.incrementAndGet();
                }
            }
        }
    }

    private Channel echoServer() {
        return new ServerBootstrap()
                .group(group)
                .channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (served.get() != loops.indexOf((PackedLoop) channel.eventLoop())) {
                            wrong.add("accepted as " + served.get());
                        }
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                                int loop =
                                        loops.indexOf((PackedLoop) ctx.channel().eventLoop());
                                if (!ctx.executor().inEventLoop() || served.get() != loop) {
                                    wrong.add("socket of " + loop + " read as " + served.get());
                                }
                                ctx.write((ByteBuf) msg);
                            }

                            @Override
                            public void channelReadComplete(ChannelHandlerContext ctx) {
                                ctx.flush();
                            }
                        });
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    private void move(int loop, int host) throws Exception {
        loops.get(loop).moveTo(loops.get(host));
        Await.until("a guest", () -> loops.get(loop).isGuest());
        threadOf(host); // it has taken it in
    }

    private void goHome(int loop) throws Exception {
        loops.get(loop).sendHome();
        Await.until("at home", () -> !loops.get(loop).isGuest());
    }

    /** Waits until the loop has begun a round after its last task: a delayed timer runs in a later one. */
    private void awaitARound(int loop) throws Exception {
        threadOf(loop);
        loops.get(loop).schedule(() -> {}, 50, TimeUnit.MILLISECONDS).get(5, TimeUnit.SECONDS);
    }

    /** Who runs the loop's tasks. */
    private Thread threadOf(int loop) throws Exception {
        return loops.get(loop).submit(Thread::currentThread).get(5, TimeUnit.SECONDS);
    }

    private interface Body {
        void run() throws Exception;
    }
}
