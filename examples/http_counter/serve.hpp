// A small HTTP server on Boost.Beast: answers every GET with what `answer` returns, a thread for each connection.
//
// Several processes may listen on the same port (SO_REUSEPORT); the kernel spreads the connections over them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <sys/socket.h>

#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

// Made anew for each connection.
using handler = std::function<std::string()>;

inline void talk(tcp::socket socket, const handler& answer) {
  boost::beast::flat_buffer buffer;
  for (bool keep = true; keep;) {
    http::request<http::empty_body> request;
    http::read(socket, buffer, request);
    http::response<http::string_body> response{http::status::ok, request.version()};
    response.set(http::field::content_type, "text/plain");
    try {
      response.body() = answer() + "\n";
    } catch (const std::exception& problem) {
      response.result(http::status::service_unavailable);
      response.body() = std::string{problem.what()} + "\n";
    }
    keep = request.keep_alive();
    response.keep_alive(keep);
    response.prepare_payload();
    http::write(socket, response);
  }
  socket.shutdown(tcp::socket::shutdown_send);
}

[[noreturn]] inline void serve(unsigned short port, const std::function<handler()>& make_handler) {
  using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
  asio::io_context context;
  const tcp::endpoint here{asio::ip::address_v4::loopback(), port};
  tcp::acceptor acceptor{context, here.protocol()};
  acceptor.set_option(reuse_port{true});
  acceptor.bind(here);
  acceptor.listen();
  std::cout << "listening" << std::endl;
  for (;;) {
    std::thread{[&make_handler, socket = acceptor.accept()]() mutable {
      try {
        talk(std::move(socket), make_handler());
      } catch (const std::exception&) {
        // The peer has gone.
      }
    }}.detach();
  }
}
