package io.godwit.it.kv.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.it.kv.history.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves registers to clients, a thread a connection and one request at a time on each.
 *
 * <pre>
 * 5000 read KEY                   value VALUE | fail WHY | unknown WHY
 * 5000 write KEY VALUE            ok | fail WHY | unknown WHY
 * 5000 cas KEY EXPECTED VALUE     ok | mismatch VALUE | fail WHY | unknown WHY
 * 5000 operate WORD...            done ANSWER | not OUTCOME WHY
 * </pre>
 *
 * Before each request stand the milliseconds that it may take; a line ends with LF, an empty register is "-".
 */
final class LineServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LineServer.class);

    private final Registers registers;
    private final ServerSocket socket = new ServerSocket();

    LineServer(Registers registers, InetSocketAddress address) throws IOException {
        this.registers = registers;
        socket.setReuseAddress(true);
        socket.bind(address, 100);
        daemon("accept", this::accept);
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                daemon("client " + connection.getPort(), () -> serve(connection));
            } catch (IOException e) {
                LOG.debug("no connection taken", e);
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            BufferedReader in = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
            OutputStream out = connection.getOutputStream();
            String line;
            while ((line = in.readLine()) != null) {
                out.write((answer(line) + '\n').getBytes(UTF_8));
                out.flush();
            }
        } catch (IOException e) {
            LOG.debug("connection lost", e);
        }
    }

    private String answer(String line) {
        int cut = line.indexOf(' ');
        long millis = Long.parseLong(line.substring(0, cut));
        String rest = line.substring(cut + 1);
        if (rest.startsWith("operate ")) {
            String[] words = rest.split(" ", -1);
            return oneLine(registers.operate(Arrays.copyOfRange(words, 1, words.length), millis));
        }
        return oneLine(registers.answer(Request.parse(rest), millis).toString());
    }

    private static String oneLine(String text) {
        return text.replace('\n', ' ');
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
