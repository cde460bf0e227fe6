package io.godwit.mqtt.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoopPackingTest {
    /** Of each loop by itself: what its thread would run, and wait for a core. */
    private final double[] work = new double[8];

    private final double[] wait = new double[8];

    @Test
    void idleLoopsEndUpOnOneThreadOneByOne() {
        LoopPacking packing = new LoopPacking(4);
        List<LoopPacking.Move> moves = look(packing, 4, 15);
        assertThat(moves).hasSize(3).allMatch(move -> move.host() == 0);
        assertThat(packing.isGuest(0)).isFalse();
    }

    @Test
    void nothingMovesBeforeItHasBeenQuietForHalfASecond() {
        LoopPacking packing = new LoopPacking(2);
        assertThat(look(packing, 2, 4)).isEmpty();
        work[0] = 0.6;
        work[1] = 0.6;
        assertThat(look(packing, 2, 20)).isEmpty();
        work[0] = 0;
        work[1] = 0;
        assertThat(look(packing, 2, 4)).isEmpty();
        assertThat(look(packing, 2, 1)).containsExactly(new LoopPacking.Move(1, 0));
    }

    @Test
    void guestsGoHomeAtOnceWhenTheirThreadIsFullAndStayThereForAWhile() {
        LoopPacking packing = new LoopPacking(2);
        look(packing, 2, 5);
        assertThat(packing.isGuest(1)).isTrue();
        work[0] = 0.6;
        work[1] = 0.4;
        assertThat(look(packing, 2, 1)).containsExactly(new LoopPacking.Move(1, 1));
        work[0] = 0;
        work[1] = 0;
        assertThat(look(packing, 2, LoopPacking.HOLD_LOOKS)).isEmpty();
        assertThat(look(packing, 2, 10)).containsExactly(new LoopPacking.Move(1, 0));
    }

    @Test
    void timeWaitedForACoreMakesAThreadFullButIsNoWork() {
        LoopPacking packing = new LoopPacking(2);
        work[0] = 0.3;
        work[1] = 0.3;
        wait[0] = 0.1;
        wait[1] = 0.1;
        assertThat(look(packing, 2, 5)).hasSize(1);
        wait[0] = 0.3;
        assertThat(look(packing, 2, 1)).containsExactly(new LoopPacking.Move(1, 1));
        assertThat(look(packing, 2, 300)).isEmpty();
    }

    @Test
    void aBusyThreadKeepsHalfOfItsGuests() {
        LoopPacking packing = new LoopPacking(5);
        look(packing, 5, 50);
        for (int i = 0; i < 5; i++) {
            work[i] = 0.2;
        }
        assertThat(look(packing, 5, 1)).hasSize(2);
        assertThat(look(packing, 5, 1)).isEmpty();
    }

    @Test
    void noThreadIsFilledBeyondItsRoomWhateverTheLoad() {
        Random random = new Random(3);
        for (int run = 0; run < 200; run++) {
            int loops = 2 + random.nextInt(7);
            LoopPacking packing = new LoopPacking(loops);
            int[] hosts = identity(loops);
            for (int phase = 0; phase < 5; phase++) {
                for (int i = 0; i < loops; i++) {
                    work[i] = random.nextDouble() * random.nextDouble();
                }
                for (int i = 0; i < 400; i++) {
                    for (LoopPacking.Move move : packing.decide(load(packing, hosts))) {
                        assertThat(move.loop()).isNotZero();
                        if (move.loop() != move.host()) {
                            assertThat(hosts[move.loop()]).isEqualTo(move.loop());
                            assertThat(hosts[move.host()])
                                    .as("a host is no guest")
                                    .isEqualTo(move.host());
                            assertThat(hosts).as("a guest has none").satisfies(all -> {
                                for (int other = 0; other < loops; other++) {
                                    assertThat(other != move.loop() && all[other] == move.loop())
                                            .isFalse();
                                }
                            });
                        }
                        hosts[move.loop()] = move.host();
                    }
                }
                // settled: every thread with guests has room, and no two could be one
                double[] sums = sums(hosts);
                for (int i = 0; i < loops; i++) {
                    if (sums[i] > work[i]) {
                        assertThat(sums[i]).isLessThan(LoopPacking.FULL);
                    }
                }
            }
        }
    }

    private static int[] identity(int loops) {
        int[] hosts = new int[loops];
        for (int i = 0; i < loops; i++) {
            hosts[i] = i;
        }
        return hosts;
    }

    private double[] sums(int[] hosts) {
        double[] sums = new double[hosts.length];
        for (int i = 0; i < hosts.length; i++) {
            sums[hosts[i]] += work[i];
        }
        return sums;
    }

    /** What threads do whose loops are run as {@code hosts} says. */
    private LoopPacking.Load load(LoopPacking packing, int[] hosts) {
        double[] sums = sums(hosts);
        for (int i = 0; i < hosts.length; i++) {
            assertThat(packing.isGuest(i)).isEqualTo(hosts[i] != i);
        }
        return new LoopPacking.Load() {
            @Override
            public double running(int loop) {
                return Math.min(1, sums[loop]);
            }

            @Override
            public double busy(int loop) {
                return Math.min(1, sums[loop]);
            }
        };
    }

    private List<LoopPacking.Move> look(LoopPacking packing, int loops, int times) {
        List<LoopPacking.Move> all = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            int[] hosts = new int[loops];
            // one host at most here, or every loop at home
            for (int loop = 0; loop < loops; loop++) {
                hosts[loop] = packing.isGuest(loop) ? 0 : loop;
            }
            double[] sums = sums(hosts);
            double[] waits = new double[loops];
            for (int loop = 0; loop < loops; loop++) {
                waits[hosts[loop]] += wait[loop];
            }
            all.addAll(packing.decide(new LoopPacking.Load() {
                @Override
                public double running(int loop) {
                    return sums[loop];
                }

                @Override
                public double busy(int loop) {
                    return sums[loop] + waits[loop];
                }
            }));
        }
        return all;
    }
}
