package io.godwit.it.real.rolling;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A library of another language, by a script below {@code src/test/resources/clients} that publishes the numbers which
 * it reads. It prints a line for each event: {@code publisher connected}, {@code subscriber connected},
 * {@code subscribed}, {@code acknowledged N}, {@code given N}. Other lines are notes.
 */
final class ScriptPair implements Pair {
    private static final Pattern NUMBER = Pattern.compile("(acknowledged|given) (\\d+)");

    private final List<String> command;
    private final Map<String, String> environment;
    private final Tally tally;
    private volatile boolean isSubscribed;
    private @Nullable Program script;

    ScriptPair(List<String> command, Map<String, String> environment, Tally tally) {
        this.command = command;
        this.environment = environment;
        this.tally = tally;
    }

    @Override
    public void connect() throws IOException {
        Program running = new Program(command, environment, this::says);
        script = running;
        running.await("both connections", program -> isSubscribed && tally.publisherConnections() > 0);
    }

    private void says(String line) {
        Matcher number = NUMBER.matcher(line);
        if (number.matches()) {
            int value = Integer.parseInt(number.group(2));
            if (number.group(1).equals("acknowledged")) {
                tally.acknowledged(value);
            } else {
                tally.given(value);
            }
            return;
        }
        switch (line) {
            case "publisher connected" -> tally.publisherConnected();
            case "subscriber connected" -> tally.subscriberConnected();
            case "subscribed" -> isSubscribed = true;
            default -> tally.note(line);
        }
    }

    @Override
    public void publish(int number) throws IOException {
        Program running = script;
        if (running == null) {
            throw new IOException("not connected");
        }
        running.write(Integer.toString(number));
    }

    @Override
    public String said() {
        Program running = script;
        return running == null ? "not started" : running.said();
    }

    @Override
    public void close() {
        Program running = script;
        if (running != null) {
            running.close();
        }
    }
}
